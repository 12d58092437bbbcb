"""Three tools over a small payroll file, employees.json beside this file."""

import json
import os
import tempfile
from typing import Optional

from tollbridge import tool

__all__ = ["list_employees", "get_employee", "apply_raise"]

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "employees.json")


def _read():
    with open(FILE, encoding="utf-8") as file:
        return json.load(file)


def _write(employees):
    """Replace the file in one step, so that a reader never sees half of it."""
    fd, path = tempfile.mkstemp(dir=os.path.dirname(FILE), prefix=".employees-")
    try:
        with os.fdopen(fd, "w", encoding="utf-8") as file:
            json.dump(employees, file, indent=2, ensure_ascii=False)
            file.write("\n")
            file.flush()
            os.fsync(file.fileno())
        os.chmod(path, os.stat(FILE).st_mode & 0o777)
        os.replace(path, FILE)
    except BaseException:
        os.unlink(path)
        raise


def _find(employees, name):
    for employee in employees:
        if employee["name"] == name:
            return employee
    raise LookupError("no employee is named %s" % name)


@tool(read_only=True)
def list_employees(department: Optional[str] = None) -> list[dict]:
    """Names, departments and salaries.

    Args:
        department: only the people of this department.
    """
    return [e for e in _read() if department is None or e["department"] == department]


@tool(read_only=True)
def get_employee(name: str) -> dict:
    """One employee's record.

    Args:
        name: as list_employees gives it.
    """
    return _find(_read(), name)


def apply_raise(name: str, amount: int) -> dict:
    """Add an amount to an employee's yearly salary.

    Args:
        name: as list_employees gives it.
        amount: what to add, in whole units of the currency.
    """
    employees = _read()
    employee = _find(employees, name)
    employee["salary"] += amount
    _write(employees)
    return employee
