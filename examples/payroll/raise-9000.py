# Everyone in Engineering gets 9000: more than the policy allows, so each raise waits for a person.
raised, refused = [], []
for person in list_employees(department="Engineering"):
    name = person["name"]
    try:
        after = apply_raise(name=name, amount=9000)
    except ToolDenied as denial:
        refused.append(name)
        print(f"{name}: stays at {person['salary']}, denied: {denial.reason}")
    else:
        raised.append(name)
        print(f"{name}: {person['salary']} -> {after['salary']}")
print(f"{len(raised)} raised, {len(refused)} denied")
