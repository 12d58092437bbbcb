# Everyone in Engineering gets 5000: the policy allows raises up to that, so nobody is asked.
for person in list_employees(department="Engineering"):
    after = apply_raise(name=person["name"], amount=5000)
    print(f"{person['name']}: {person['salary']} -> {after['salary']}")
