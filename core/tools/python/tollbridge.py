"""Marks for tollbridge's Python tools, in one file that needs nothing else.

    from tollbridge import tool

    @tool(read_only=True)
    def get_employee(name: str) -> dict:
        "One employee's record."

tollbridge brings this module along when it starts a file of tools, so nothing has to be installed;
a copy beside the tools lets editors and tests find it too.  The decorator changes nothing about the
function but one attribute.
"""

__all__ = ["tool"]

MARKS = "__tollbridge__"


def tool(
    function=None,
    *,
    name=None,
    title=None,
    description=None,
    read_only=None,
    destructive=None,
    idempotent=None,
    open_world=None,
):
    """Mark a function (or an object with invoke) as a tool.

    Unmarked functions are tools too, with the effect `mutate`: each call is asked about.

    Args:
        name: what the tool is called, instead of the function's own name.
        title: a name for people.
        description: instead of the docstring's.
        read_only: True: it changes nothing (effect `read`, or `send` with open_world=True).
        destructive: True: it destroys (effect `destroy`).
        idempotent: True: twice is the same as once.
        open_world: True: it reaches beyond this machine, so it can carry data out.
    """
    if read_only and destructive:
        raise TypeError("a tool cannot be read_only and destructive")
    for value, word in ((name, "name"), (title, "title"), (description, "description")):
        if value is not None and not isinstance(value, str):
            raise TypeError("@tool(%s=...) takes text" % word)
    for value, word in (
        (read_only, "read_only"),
        (destructive, "destructive"),
        (idempotent, "idempotent"),
        (open_world, "open_world"),
    ):
        if value is not None and not isinstance(value, bool):
            raise TypeError("@tool(%s=...) takes True or False" % word)
    marks = {
        "name": name,
        "title": title,
        "description": description,
        "readOnlyHint": read_only,
        "destructiveHint": destructive,
        "idempotentHint": idempotent,
        "openWorldHint": bool(open_world) if read_only else open_world,
    }

    def mark(target):
        setattr(target, MARKS, {key: value for key, value in marks.items() if value is not None})
        return target

    return mark if function is None else mark(function)
