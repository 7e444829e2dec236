"""Tables, and documents that hold them."""

from pathlib import Path


def table(head: list[str], rows: list[list[str]]) -> str:
    """A Markdown table with columns of even width."""
    lines = [head, *rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]

    def row(cells: list[str]) -> str:
        return "| " + " | ".join(cell.ljust(width) for cell, width in zip(cells, widths)) + " |"

    rule = "|" + "|".join("-" * (width + 2) for width in widths) + "|"
    return "\n".join([row(head), rule, *map(row, rows)])


def put(document: Path, command: str, text: str) -> None:
    """Replaces what stands between the marks of a command in a document."""
    begin, end = f"<!-- written by `{command}` -->", "<!-- end -->"
    old = document.read_text(encoding="utf-8")
    before, mark, rest = old.partition(begin)
    _, closing, after = rest.partition(end)
    if not (mark and closing):
        raise SystemExit(f"{document}: has no place for the table; expected a line {begin} and below it {end}")
    document.write_text(f"{before}{begin}\n{text}\n{end}{after}", encoding="utf-8")
