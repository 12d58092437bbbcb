# A loop without an end around a tool that is always allowed: the budget's cap stops it.
calls = 0
while True:
    get_employee(name="Ada")
    calls += 1
    print(f"call {calls} went through, {tools.budget()['left']} left")
