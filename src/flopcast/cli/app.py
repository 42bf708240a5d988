"""The one place where a command line becomes a command, and what goes wrong a message and an exit code."""

import contextlib
import os
import sys
from functools import cache
from typing import Annotated, Any

import typer
from typer.exceptions import Abort, Exit, TyperException

from flopcast import __version__
from flopcast.cli import lines_decide, lines_estimate, lines_facts
from flopcast.cli.line import check_line
from flopcast.cli.options import app
from flopcast.cli.output import show_bad_input
from flopcast.errors import BadInput, Problem, near_matches

__all__ = ["app", "run"]
# the order of the help: one job, choices about it, what lies ahead, facts and papers
for lines in (lines_facts, lines_decide, lines_estimate):
    app.registered_commands.sort(key=lambda command: getattr(command.callback, "__module__", "") != lines.__name__)


def _version(shown: bool) -> None:
    if shown:
        typer.echo(f"flopcast {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    del version


@cache
def _command(name: str) -> Any:
    """The command line with the one command asked for, all of them where it is none: building each takes time."""
    asked = [
        command
        for command in app.registered_commands
        if command.callback is not None and command.callback.__name__ == name
    ]
    if asked:
        few = typer.Typer(pretty_exceptions_enable=False, add_completion=False, rich_markup_mode="rich")
        few.registered_commands, few.registered_callback = asked, app.registered_callback
        return typer.main.get_command(few)
    return typer.main.get_command(app)


def run(arguments: list[str]) -> int:
    """Runs one command line; returns its exit code. No input makes it raise."""
    as_json = "--json" in arguments
    arguments = arguments or ["--help"]
    try:
        command = _command(arguments[0] if arguments else "")
        check_line(command, arguments)
        code = command.main(arguments, prog_name="flopcast", standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except BadInput as error:
        show_bad_input(error, as_json=as_json)
        return 2
    except TyperException as error:
        show_bad_input(_usage(error, arguments), as_json=as_json)
        return 2
    except Exit as done:
        return done.exit_code
    except (Abort, KeyboardInterrupt):
        return 130
    except BrokenPipeError:
        _discard_output()
        return 0
    except OSError as error:
        _discard_output()
        print(f"error: the answer cannot be written: {error.strerror}", file=sys.stderr)
        return 2


def _discard_output() -> None:
    """Sends what is still buffered nowhere, so that leaving does not fail again."""
    with contextlib.suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _usage(error: TyperException, arguments: list[str]) -> BadInput:
    """A mistake in the command line itself, in the one form that problems have."""
    given = str(getattr(error, "option_name", None) or " ".join(arguments)[:60])
    close = near_matches(given, getattr(error, "possibilities", None) or [], count=2)
    named = " or ".join(f"`{name}`" for name in close)
    hint = f"did you mean {named}?" if close else error.format_message() or "see --help"
    return BadInput(Problem(where="command line", given=given, allowed="a known command and its options", hint=hint))
