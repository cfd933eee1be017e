// Events become what is on the screen. One pure step for each event, the same for a live stream, a replay after a
// lost connection and a stored session; an event that came twice changes nothing.
export const empty = () => ({ turns: [], calls: {}, queued: [], running: false, run: "", at: 0, model: "" });

const REFUSED = { permission_denied: "denied", tool_not_available: "denied", path_not_allowed: "denied", timeout: "timeout", cancelled: "stopped", interrupted: "stopped" };
const statusOf = (result) => result.status === "success" ? "success" : REFUSED[result.error_type] ?? "error";

export function apply(state, e) {
  if (e.parent_run) return state; // events of agents that an agent asked: their calls stand in the asking call
  if (e.run === state.run && e.number <= state.at) return state;
  const s = { ...state, run: e.run, at: e.number };
  const key = (id) => `${e.run}/${id}`;
  const call = (id, change) => { s.calls = { ...s.calls, [key(id)]: { key: key(id), id, children: [], ...s.calls[key(id)], ...change } }; };
  const last = s.turns.at(-1);
  const turn = (change) => { s.turns = [...s.turns.slice(0, -1), { ...s.turns.at(-1), ...change }]; };
  const add = (part) => turn({ parts: [...s.turns.at(-1).parts, part] });
  const grow = (type, text) => {
    const end = last.parts.at(-1);
    if (end?.type === type && end.live) turn({ parts: [...last.parts.slice(0, -1), { ...end, text: end.text + text }] });
    else add({ type, text, live: true });
  };
  const settled = () => s.turns.at(-1).parts.filter((part) => !part.live);
  switch (e.event) {
    case "run_started":
      s.running = true; s.model = e.model; s.agent = e.agent;
      if (e.text) s.turns = [...s.turns, { who: "user", text: e.text, time: e.time }];
      s.turns = [...s.turns, { who: "agent", agent: e.agent, model: e.model, run: e.run, parts: [] }];
      break;
    case "message_queued": s.queued = [...s.queued, { id: e.message_id, text: e.text, run: e.run }]; break;
    case "message_withdrawn": s.queued = s.queued.filter((one) => one.id !== e.message_id); break;
    case "message_read":
      s.queued = s.queued.filter((one) => one.id !== e.message_id);
      s.turns = [...s.turns, { who: "user", text: e.text, time: e.time }, { who: "agent", agent: last?.agent, model: last?.model, run: e.run, parts: [] }];
      break;
    case "text_added": grow("text", e.text); break;
    case "thought_added": grow("thought", e.text); break;
    case "call_begun": add({ type: "draft", index: e.index, tool: e.tool, text: "", live: true }); break;
    case "arguments_added":
      turn({ parts: last.parts.map((part) => part.type === "draft" && part.live && part.index === e.index ? { ...part, text: part.text + e.text } : part) });
      break;
    case "answer_finished": { // the whole answer stands in place of its pieces
      turn({ parts: settled(), model: e.message.model ?? last.model });
      const ids = [];
      for (const part of e.message.parts) {
        if (part.type === "call") { call(part.id, { tool: part.name, written: part.raw ?? "", status: "pending", ...s.calls[key(part.id)] }); ids.push(key(part.id)); }
        else if (part.text) add({ type: part.type === "thought" ? "thought" : "text", text: part.text });
      }
      if (ids.length) add({ type: "calls", ids });
      break;
    }
    case "answer_restarted": turn({ parts: settled(), note: `${e.reason} Trying again (${e.attempt}).` }); break;
    case "tool_started":
      if (e.parent && s.calls[key(e.parent)]) call(e.parent, { children: [...new Set([...s.calls[key(e.parent)].children, key(e.call_id)])] });
      call(e.call_id, { tool: e.tool, label: e.label, arguments: e.arguments, status: "executing", since: e.time, parent: e.parent });
      break;
    case "tool_progressed": call(e.call_id, { progress: { text: e.text, fraction: e.fraction } }); break;
    case "tool_finished":
      if (e.parent && s.calls[key(e.parent)]) call(e.parent, { children: [...new Set([...s.calls[key(e.parent)].children, key(e.call_id)])] });
      call(e.call_id, { tool: e.tool, label: e.label || s.calls[key(e.call_id)]?.label, arguments: s.calls[key(e.call_id)]?.arguments ?? e.arguments, result: e.result, number: e.call_number, progress: null, parent: e.parent, status: statusOf(e.result) });
      break;
    case "question_asked": call(e.call_id, { tool: e.tool, status: "asking" }); break;
    case "question_answered": if (s.calls[key(e.call_id)]?.status === "asking") call(e.call_id, { status: "pending", decision: e.answer }); else call(e.call_id, { decision: e.answer }); break;
    case "model_switched": turn({ model: e.model, note: `${e.failed} failed (${e.reason}). ${e.model} goes on.` }); break;
    case "history_compacted": turn({ note: `${e.count} older messages were ${e.how} to fit the model. The session keeps all of them.` }); break;
    case "usage_counted": turn({ usage: e.total, cost: e.total_cost }); break;
    case "run_finished":
      s.running = false; s.queued = [];
      if (last?.who === "agent") turn({ parts: settled(), done: true, reason: e.reason, error: e.error, seconds: e.seconds, usage: e.usage, cost: e.cost });
      s.calls = Object.fromEntries(Object.entries(s.calls).map(([id, one]) => [id, one.result || !id.startsWith(e.run) ? one : { ...one, status: "stopped" }]));
      break;
  }
  return s;
}
