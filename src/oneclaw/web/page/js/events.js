// Events become what is on the screen. One pure step for each event, the same for a live stream, a replay after a
// lost connection and a stored session; an event that came twice changes nothing.
//
// A chat is a list of turns. A turn of the agent holds its calls by `run/id`, so that a finished turn never changes
// and is never drawn again. The runs of agents that an agent asked stand in the call that asked them.
export const empty = () => ({ turns: [], queued: [], running: false, run: "", at: 0, model: "", agent: "", before: 0 });

const REFUSED = { permission_denied: "denied", tool_not_available: "denied", path_not_allowed: "denied", timeout: "timeout", cancelled: "stopped", interrupted: "stopped" };
const statusOf = (result) => result.status === "success" ? "success" : REFUSED[result.error_type] ?? "error";

const agentTurn = (e, like = {}) => ({ who: "agent", key: `${e.run}:${e.number}`, agent: e.agent ?? like.agent, model: e.model ?? like.model, run: e.run, runs: {}, calls: {}, parts: [] });
const userTurn = (e, text) => ({ who: "user", key: `${e.run}:${e.number}u`, text, run: e.run, number: e.number, time: e.time });

function read(part) {
  if (part.arguments) return part.arguments;
  try { const given = JSON.parse(part.raw); return given && typeof given === "object" ? given : undefined; } catch { return undefined; }
}

// The call that asked the agent whose run begins now.
function askedBy(turn, e) {
  const name = "ask_" + e.agent.replaceAll("-", "_"), taken = Object.values(turn.runs);
  return Object.values(turn.calls).find((call) => call.key.startsWith(e.parent_run + "/") && call.tool === name && call.arguments?.text === e.text && !taken.includes(call.key))?.key;
}

export function apply(state, e) {
  const isOwn = !e.parent_run;
  if ((isOwn ? e.run === state.run : true) && e.number <= state.at) return state;
  const s = { ...state, at: e.number };
  if (isOwn) s.run = e.run;
  if (isOwn && e.event === "run_started") return begun(s, e);
  if (e.event === "message_queued") return { ...s, queued: [...s.queued, { id: e.message_id, text: e.text, run: e.run }] };
  if (e.event === "message_withdrawn") return { ...s, queued: s.queued.filter((one) => one.id !== e.message_id) };
  if (isOwn && e.event === "message_read") {
    const last = s.turns.at(-1);
    const closed = last ? [...s.turns.slice(0, -1), { ...last, parts: settled(last) }] : [];
    return { ...s, queued: s.queued.filter((one) => one.id !== e.message_id), turns: [...closed, userTurn(e, e.text), agentTurn(e, last)] };
  }
  const at = s.turns.findLastIndex((turn) => turn.who === "agent" && (turn.run === e.run || e.run in turn.runs || e.parent_run === turn.run || e.parent_run in turn.runs));
  if (at < 0) return s;
  s.turns = [...s.turns];
  s.turns[at] = isOwn ? step(s.turns[at], e) : inner(s.turns[at], e);
  if (isOwn && e.event === "run_finished") Object.assign(s, { running: false, queued: [], turns: s.turns.map((turn) => turn.run === e.run && turn.who === "agent" ? halted(turn) : turn) });
  return s;
}

function begun(s, e) {
  const last = s.turns.at(-1);
  Object.assign(s, { running: true, model: e.model, agent: e.agent });
  if (!e.text && last?.run === e.run) s.turns = [...s.turns.slice(0, -1), { ...last, done: false, interrupted: false, error: "" }]; // it goes on
  else s.turns = [...s.turns, ...(e.text ? [{ ...userTurn(e, e.text), starts: true }] : []), agentTurn(e)];
  return s;
}

const settled = (turn) => turn.parts.filter((part) => !part.live);
const halted = (turn) => ({ ...turn, calls: Object.fromEntries(Object.entries(turn.calls).map(([key, call]) => [key, call.result ? call : { ...call, status: "stopped" }])) });

function grow(turn, type, text) {
  const end = turn.parts.at(-1);
  if (end?.type === type && end.live) return { ...turn, parts: [...turn.parts.slice(0, -1), { ...end, text: end.text + text }] };
  return { ...turn, parts: [...turn.parts, { type, text, live: true }] };
}

const note = (turn, text) => ({ ...turn, parts: [...turn.parts, { type: "note", text }] });

// One event of a run that a person started.
function step(turn, e) {
  switch (e.event) {
    case "text_added": return grow(turn, "text", e.text);
    case "thought_added": return grow(turn, "thought", e.text);
    case "call_begun": return { ...turn, parts: [...turn.parts, { type: "draft", index: e.index, tool: e.tool, text: "", live: true }] };
    case "arguments_added": return { ...turn, parts: turn.parts.map((part) => part.type === "draft" && part.live && part.index === e.index ? { ...part, text: part.text + e.text } : part) };
    case "answer_finished": { // the whole answer stands in place of its pieces
      const calls = { ...turn.calls }, parts = settled(turn), ids = [];
      for (const part of e.message.parts) {
        if (part.type === "call") { ids.push(add(calls, e, part)); }
        else if (part.text) parts.push({ type: part.type === "thought" ? "thought" : "text", text: part.text });
      }
      if (ids.length) parts.push({ type: "calls", ids });
      return { ...turn, calls, parts, model: e.message.model || turn.model };
    }
    case "answer_restarted": return note({ ...turn, parts: settled(turn) }, `${e.reason} Trying again (${e.attempt}).`);
    case "model_switched": return note({ ...turn, model: e.model, switched: { failed: e.failed, model: e.model, reason: e.reason } }, `${e.failed} failed (${e.reason}). ${e.model} goes on.`);
    case "history_compacted": return note(turn, `${e.count} older ${e.how === "shortened" ? "results" : "messages"} were ${e.how} to fit the model. The session keeps all of them.`);
    case "usage_counted": return { ...turn, usage: e.total, cost: e.total_cost };
    case "run_finished": return { ...turn, parts: settled(turn), done: true, reason: e.reason, error: e.error, seconds: e.seconds, usage: e.usage, cost: e.cost };
  }
  return withCall(turn, e);
}

// One event of a run that a call started: its calls stand in that call.
function inner(turn, e) {
  if (e.event === "run_started") { const key = askedBy(turn, e); return key ? { ...turn, runs: { ...turn.runs, [e.run]: key } } : turn; }
  if (e.event === "answer_finished") {
    const calls = { ...turn.calls };
    for (const part of e.message.parts) if (part.type === "call") adopt(calls, turn.runs[e.run], add(calls, e, part));
    return { ...turn, calls };
  }
  return withCall(turn, e);
}

const add = (calls, e, part) => {
  const key = `${e.run}/${part.id}`;
  calls[key] ??= { key, id: part.id, session: e.session, children: [], tool: part.name, arguments: read(part), written: part.raw ?? "", status: "pending" };
  return key;
};
const adopt = (calls, parent, key) => {
  if (calls[parent] && !calls[parent].children.includes(key)) calls[parent] = { ...calls[parent], children: [...calls[parent].children, key] };
};

function withCall(turn, e) {
  if (!e.call_id) return turn;
  const key = `${e.run}/${e.call_id}`, calls = { ...turn.calls };
  const old = calls[key] ?? { key, id: e.call_id, session: e.session, children: [], status: "pending" };
  const change = ofCall(old, e);
  if (!change) return turn;
  calls[key] = { ...old, ...change };
  adopt(calls, e.parent ? `${e.run}/${e.parent}` : turn.runs[e.run], key);
  return { ...turn, calls };
}

function ofCall(call, e) {
  switch (e.event) {
    case "tool_started": return { tool: e.tool, label: e.label, arguments: e.arguments, status: "executing", since: e.time, parent: e.parent };
    case "tool_progressed": return { progress: { text: e.text, fraction: e.fraction } };
    case "tool_finished": return { tool: e.tool || call.tool, label: e.label || call.label, arguments: call.arguments ?? e.arguments, result: e.result, number: e.call_number, progress: null, parent: e.parent, status: statusOf(e.result) };
    case "question_asked": return { tool: e.tool, status: call.result ? call.status : "asking", question: e.kind };
    case "question_answered": return { status: call.status === "asking" ? "executing" : call.status, decision: e.answer };
  }
  return null;
}

// What a page of older events shows, before what is shown already.
export const prepend = (state, page, chat) => ({ ...state, turns: [...chat.turns, ...state.turns], before: page.before });

// A run that was cut off: what was done is shown, and one click goes on.
export const interrupt = (state, runs) => ({ ...state, running: state.running && !runs.includes(state.run), turns: state.turns.map((turn) => turn.who === "agent" && runs.includes(turn.run) && !turn.done ? halted({ ...turn, parts: settled(turn), done: true, interrupted: true }) : turn) });
