"""Contract reports and the error that lists failed checks."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FailedCheck:
    """One check that failed: its name, and one sentence that says what is wrong."""

    check: str
    message: str

    def __str__(self) -> str:
        return f"{self.check}: {self.message}"


@dataclass(frozen=True, slots=True)
class Report:
    """The names of the checks that were made, in order, and the problems that were found."""

    subject: str
    checks: tuple[str, ...]
    problems: tuple[FailedCheck, ...] = ()


class ContractBroken(AssertionError):
    """At least one check failed; `report` has all of them."""

    def __init__(self, report: Report) -> None:
        lines = "".join(f"\n  {problem}" for problem in report.problems)
        count = len({problem.check for problem in report.problems})
        super().__init__(f"{report.subject} fails {count} of {len(report.checks)} checks:{lines}")
        self.report = report


class Checklist:
    """Collects checks while they are made; `close` gives the report, or raises what failed."""

    def __init__(self, subject: str) -> None:
        self.where = ""
        """Prefix of each problem, such as the name of the checked answer."""
        self._subject = subject
        self._checks: dict[str, None] = {}
        self._problems: list[FailedCheck] = []

    def expect(self, check: str, holds: object, problem: str) -> bool:
        """Note that `check` was made; `problem` says what is wrong where it does not hold."""
        self._checks[check] = None
        if not holds:
            self._problems.append(FailedCheck(check, self.where + problem))
        return bool(holds)

    def close(self) -> Report:
        report = Report(self._subject, tuple(self._checks), tuple(self._problems))
        if report.problems:
            raise ContractBroken(report)
        return report
