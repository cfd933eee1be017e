"""The type of each answer of the API, by method and path, for the OpenAPI document."""

from typing import Any

from oneclaw.core.load import LoadProblem
from oneclaw.core.message import Usage
from oneclaw.core.permit.grant import Grant
from oneclaw.core.permit.need_status import NeedStatus
from oneclaw.core.permit.policy import Why
from oneclaw.operations.agents import AgentState, KeptAgent
from oneclaw.operations.attachments import KeptUpload
from oneclaw.operations.conversing import SentMessage
from oneclaw.operations.features import FeatureState
from oneclaw.operations.kept_results import ResultPage
from oneclaw.operations.mcp import McpServerRecord
from oneclaw.operations.model_trial import RequestCheck
from oneclaw.operations.models import DefaultModel, ModelList, ModelState
from oneclaw.operations.permission_rules import PermissionRules
from oneclaw.operations.runs import RunRecord
from oneclaw.operations.sessions import ImportedSession, SessionRecord
from oneclaw.operations.setup import OfferedModel
from oneclaw.operations.skills import SkillList
from oneclaw.operations.tools import ToolState
from oneclaw.operations.undo import UndoResult
from oneclaw.web.answer_schema import EVENT, Schema, schema_of

_KEY = {"provider": str, "name": str, "place": str, "file": str, "is_set": bool}
_AGENT = {"name": str, "model": str, "problem": str}
_SESSION = {
    "id": str,
    "title": str,
    "agent": str,
    "updated": float,
    "cost": float | None,
    "mark": str,
    "excerpt": str,
}
_QUESTION: Schema = {
    "type": "object",
    "properties": {"id": {"type": "string"}, "kind": {"type": "string"}, "state": {"type": "string"}},
    "required": ["id", "kind", "state", "text", "session", "expires"],
}
_START = {
    "version": str,
    "workspace": str,
    "mode": str,
    "default_model": str,
    "agents": [_AGENT],
    "models": list[ModelState],
    "labels": dict[str, str],
    "time": float,
}
ANSWERS: dict[str, Any] = {
    "POST /files": KeptUpload,
    "GET /sessions/{session}/result": ResultPage,
    "GET /keys": [_KEY],
    "POST /keys/{provider}": _KEY,
    "POST /keys/{provider}/remove": {**_KEY, "removed": bool},
    "POST /keys/{provider}/test": list[RequestCheck],
    "GET /models/here": list[OfferedModel],
    "POST /models/default": DefaultModel,
    "GET /agents/{agent}": (AgentState, {"document": dict[str, Any]}),
    "GET /permissions": PermissionRules,
    "POST /permissions/mode": PermissionRules,
    "POST /permissions/rules": PermissionRules,
    "POST /permissions/rules/remove": PermissionRules,
    "POST /grants": Grant,
    "POST /grants/restore": Grant,
    "GET /skills": SkillList,
    "GET /mcp": [(McpServerRecord, {"digest": str})],
    "POST /mcp/{server}/test": (McpServerRecord, {"digest": str}),
    "POST /mcp/{server}/approve": (McpServerRecord, {"digest": str}),
    "GET /sessions/{session}/history": {
        "run": str,
        "after": int,
        "events": [EVENT],
        "before": int,
        "interrupted": list[str],
    },
    "GET /start": _START,
    "GET /sessions": [_SESSION],
    "GET /sessions/{session}": {
        "session": SessionRecord,
        "usage": Usage,
        "cost": float | None,
        "answers": int,
    },
    "POST /sessions/{session}/rename": SessionRecord,
    "POST /sessions/{session}/fork": ImportedSession,
    "POST /sessions/{session}/remove": SessionRecord,
    "POST /messages": SentMessage,
    "GET /runs": list[RunRecord],
    "POST /runs/{run}/stop": {"stopped": bool},
    "POST /runs/{run}/resume": SentMessage,
    "POST /runs/{run}/withdraw": {"withdrawn": bool},
    "POST /undo": UndoResult,
    "GET /questions": [_QUESTION],
    "POST /questions/{question}/answer": {"answered": bool},
    "GET /tools": [(ToolState, {"remedy": str})],
    "GET /problems": list[LoadProblem],
    "POST /tools/{tool}/switch": list[ToolState],
    "GET /tools/{tool}/why": {"why": Why, "needs": list[NeedStatus], "remedy": str},
    "GET /features": list[FeatureState],
    "POST /features/{feature}/switch": FeatureState,
    "GET /agents": list[AgentState],
    "POST /agents/{agent}": KeptAgent,
    "POST /agents/{agent}/remove": {"removed": str},
    "GET /models": ModelList,
    "GET /grants": list[Grant],
    "POST /grants/{grant}/revoke": {"revoked": str, "grant": Grant | None},
}


def answer_schema(method: str, path: str) -> Schema:
    """The schema of an answer as JSON; an answer of another type has none."""
    return schema_of(ANSWERS.get(f"{method} {path}", Any))
