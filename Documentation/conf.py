# SPDX-License-Identifier: GPL-2.0-only
#
# Sphinx configuration of "make htmldocs". The pages are plain reStructuredText, in the folders
# of the kernel's documentation. README and the other files *.md, which are for web pages of
# repositories, and the files in ABI/ become pages as they are read.
import pathlib
import re

project = "sbi_pmu"
master_doc = "index"
source_suffix = {".rst": "restructuredtext", ".md": "restructuredtext"}
html_theme = "alabaster"
html_copy_source = False
html_show_copyright = False


def link(match):
    text, label = match[1], match[3]
    page = re.sub("^Documentation/", "", match[2]).replace("ABI/testing", "abi.rst")
    if "://" in page:
        return f"`{text} <{page}>`__"
    if label:
        return f":ref:`{text} <{label}>`"
    name = re.fullmatch(r"(.*)\.(?:rst|md)", page)
    return f":doc:`{text} </{name[1]}>`" if name else text


def inline(text):
    text = re.sub(r"`([^`]+)`", r"``\1``", text)
    return re.sub(r"\[([^]]+)\]\(([^)#]+)#?([^)]*)\)", link, text)


# The Markdown of this project: headings, lists, tables, links, code that is indented by four spaces.
def from_markdown(text):
    rst, table, code = [], False, False
    text = re.sub(r"(\[[^]\n]+)\n([^]\n]+\]\()", r"\1 \2", text)
    for line in text.split("\n"):
        heading = re.match("(#+) (.*)", line)
        cells = [inline(cell.strip()) for cell in line.split("|")[1:-1] if line.startswith("|")]
        picture = re.fullmatch(r"!\[(.*)\]\((?:Documentation)?(.*)\)", line)
        if re.match(r"\|[-|]+$", line):
            continue
        if line.startswith("    ") and (code or not rst[-1]):
            rst += [line] if code else ["::", "", line]
            code = True
        elif not line:
            rst.append(line)
        elif heading:
            rst += [inline(heading[2]), "=-~"[len(heading[1]) - 1] * len(line) * 2]
        elif cells:
            if not table:
                rst += [".. list-table::", f"   :header-rows: {int(any(cells))}", ""]
            if any(cells):
                rst += [f"   {'  -' if n else '* -'} {cell}" for n, cell in enumerate(cells)]
        elif picture:
            rst += [f".. image:: {picture[2]}", f"   :alt: {picture[1]}"]
        else:
            rst.append(inline(line))
        table = bool(cells)
        code = code and (not line or line.startswith("    "))
    return "\n".join(rst)


# A file of ABI/ as it is, but that the names of pages are links.
def from_abi(match):
    text = pathlib.Path(__file__).with_name("ABI").joinpath(match[1]).read_text().expandtabs()
    text = re.sub(r"([\\*_`|])", r"\\\1", text)
    text = re.sub(r"(?:Documentation/admin-guide/perf/)?(sbi-pmu[a-z-]*)\.rst", r":doc:`/admin-guide/perf/\1`", text)
    return ".. parsed-literal::\n\n" + re.sub("^", "   ", text, flags=re.M)


def read(app, page, source):
    if pathlib.Path(app.env.doc2path(page)).suffix == ".md":
        source[0] = from_markdown(source[0])
    if page == "abi":
        source[0] = re.sub(r"\.\. literalinclude:: ABI/(.*)\n.*", from_abi, source[0])


def setup(app):
    app.connect("source-read", read)
