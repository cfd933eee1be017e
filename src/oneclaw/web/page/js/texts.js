// Every text of the page, in one table, so that it can be translated. `{name}` stands for a value.
export const TEXTS = {
  // Words of every screen
  "cancel": "Cancel", "save": "Save", "close": "Close", "copied": "Copied.", "home": "OneClaw, to the chat", "back": "Back to the chat", "side": "Side", "places": "Places", "settings": "Settings",
  "menu": "Conversations and places", "menu.close": "Close the menu", "theme": "Change light and dark", "code": "Code", "table": "Table", "task.done": "done", "task.open": "open",
  "picture.elsewhere": "[picture: {text}]", "none": "Nothing like that",
  "offline": "The connection is lost.", "offline.more": "The agent goes on without this page, and nothing will be missing. Trying again in {seconds} s.", "offline.now": "Try now",
  "login.title": "This page needs a link", "login.text": "Run `oneclaw serve` in a terminal and open the link it prints. A link works once.",

  // Conversations
  "chats": "Conversations", "chats.none": "Your conversations will stand here.", "chat.search": "Find a conversation", "chat.untitled": "Untitled", "chat.log": "Conversation", "chat.you": "You", "chat.answer": "Answer of {agent}",
  "day.today": "Today", "day.yesterday": "Yesterday", "day.earlier": "Earlier",
  "mark.running": "running", "mark.asking": "waits for you", "mark.failed": "failed", "mark.interrupted": "interrupted",
  "chat.new": "New chat", "chat.more": "More: {title}", "chat.rename": "Rename", "chat.fork": "Copy", "chat.remove": "Delete",
  "chat.rename.ask": "Title", "chat.remove.ask": "Delete this conversation?", "chat.remove.text": "Its messages, its results and what undoes its changes are gone for good.",
  "chat.fresh": "What shall be done?", "fresh.files": "What is in my workspace?", "fresh.page": "Read a web page and tell me the three main points", "fresh.note": "Start a note called ideas.md",
  "chat.end": "To the end", "chat.earlier": "Show earlier messages", "chat.again": "Answer again", "chat.edit": "Edit and send again", "chat.edit.keeps": "The earlier version stays, as a conversation of its own.",
  "chat.copy": "Copy", "chat.speak": "Read aloud", "chat.thought": "Thought", "chat.finished": "Answer finished.",
  "chat.stopped": "Stopped. What was said is kept.", "chat.interrupted": "This run was interrupted. What was done is kept.", "chat.resume": "Go on",
  "chat.switched": "{model} did not answer.", "chat.switched.to": "{model} goes on.",
  "wait.0": "Thinking…", "wait.1": "Working…", "wait.2": "Brewing…", "wait.tools": "{count} Tools",
  "composer.empty": "Ask for something to be done", "composer.running": "Write the next message", "composer.label": "Message", "composer.send": "Send", "composer.stop": "Stop the answer",
  "composer.agent": "Agent", "composer.model": "Model", "composer.cost": "What this conversation has cost",
  "attach": "Attach a file into the workspace", "attach.done": "{name} is attached.", "attach.remove": "Do not attach {name}", "skills": "Skills",
  "queued.label": "Queued: the model reads it at its next round", "queued.withdraw": "Take it back",
  "usage.read": "{count} read", "usage.written": "{count} written", "usage.cached": "{count} cached",

  // Calls
  "status.pending": "Pending", "status.asking": "Waiting for you", "status.executing": "Running", "status.success": "Done", "status.error": "Failed", "status.denied": "Not allowed", "status.timeout": "Timed out", "status.stopped": "Stopped",
  "calls.together": "{count} side by side", "calls.progress": "{done} of {count} finished", "calls.saved": "{longest} instead of {sum}",
  "calls.used.one": "Used 1 tool · {time}", "calls.used": "Used {count} tools · {time}", "calls.inside.one": "1 call inside", "calls.inside": "{count} calls inside", "calls.failed": "{count} failed", "calls.more": "Show {count} more calls, all done",
  "calls.repaired": "Repaired: {text}", "calls.cut": "Shortened from {count} characters.", "calls.open": "Open all of it", "calls.result": "result", "calls.picture": "Picture {at} from {tool}", "calls.all": "Open or close all calls",
  "undo": "Undo", "undo.done.one": "Undone: 1 file is as before.", "undo.done": "Undone: {count} files are as before.", "diff": "Changes", "diff.more": "… {count} more lines",
  "decided.once": "You allowed it, this once", "decided.session": "You allowed it for this session", "decided.agent": "You allowed it for this agent", "decided.always": "You always allow it", "decided.no": "You said no", "decided.never": "You said never", "decided.answered": "You answered", "decided.timeout": "Nobody answered in time", "decided.nobody": "Nobody was there to answer", "decided.withdrawn": "The question was withdrawn",

  // Questions
  "answer.once": "Allow once", "answer.session": "This session", "answer.agent": "This agent", "answer.always": "Always", "answer.no": "No", "answer.never": "Never",
  "hint.once": "Nothing is remembered by “Allow once” and “No”.", "hint.kept": "Remembered for this tool as it is now; if it changes, you are asked again.", "hint.command": "A yes that is remembered holds for this very command.", "hint.pattern": "A yes that is remembered holds for: {pattern}", "hint.never": "Never, for this tool, everywhere. Take it back under Permissions.",
  "ask.wants": "wants to", "ask.asks": "asks you", "ask.needs": "It needs to", "ask.and": " and to ", "ask.defaults": "By default: {list}.", "ask.body": "The question", "ask.hidden": "There are characters in it that nobody sees, or that turn the direction of the text. They are shown as", "ask.choices": "Answers",
  "ask.left": "No answer in {time} means no", "ask.left.waits": "Waits for your answer for {time}", "ask.answer": "Answer", "ask.decline": "No answer", "ask.required": "(required)",
  "ask.waiting": "Questions waiting", "ask.queue": "Question {at} of {count}: {tool}", "ask.count": "{count} questions wait for you", "ask.said": "{agent} asks: {tool}. {count} waiting.",
  "need.shell": "run programs on this machine", "need.network": "reach the internet", "need.network.private": "reach this machine or your private network", "need.changes": "change something", "need.code": "run a script that the model wrote", "need.location": "find out where this machine is", "need.files.write": "write files", "need.desktop": "open a window on this machine", "need.mail": "read and send mail", "need.write": "write to the workspace",
  "limit": "Limit a remembered yes", "limit.when": "Only when", "limit.until": "Until", "limit.any": "any arguments", "limit.command": "this very command", "limit.own": "a pattern of my own…", "limit.argument": "Argument", "limit.pattern": "Pattern", "limit.ever": "no end", "limit.hour": "1 hour", "limit.hours": "8 hours", "limit.day": "1 day", "limit.month": "30 days",
  "settled.yes": "Answered elsewhere: allowed.", "settled.no": "Answered elsewhere: not allowed.", "settled.other": "Answered elsewhere.", "settled.gone": "The question is over.",

  // Tools
  "page.tools": "Tools", "page.tools.lead": "What agents can use. A tool that is off does not exist for them.", "tools.find": "Find a tool", "tools.features": "Features", "tools.single": "Single tools", "tools.count": "{count} tools", "tools.count.one": "1 tool",
  "tools.gone": "not here", "tools.asks": "asks for {needs}", "tools.denied": "never has {needs}", "tools.on": "{tool} is on", "tools.off": "{tool} is off", "tools.none": "No tool like that", "tools.none.text": "Try another word.",
  "feature.memory": "Memory", "feature.shell": "Commands", "feature.schedules": "Schedules", "feature.schedule": "Schedules", "feature.mail": "Mail", "feature.browser": "Browser", "feature.code": "Scripts", "feature.code_mode": "Scripts", "feature.skills": "Skills", "feature.media": "Media", "feature.sessions": "Sessions", "feature.location": "Location",

  // MCP servers
  "page.mcp": "MCP servers", "page.mcp.lead": "Other programs whose tools agents use. What they change waits for you.", "mcp.held": "{tool} of {server} is held", "mcp.keep": "Keep it off", "mcp.approve": "Approve it", "mcp.start": "Start it and see its tools", "mcp.all": "Approve all {count}", "mcp.test": "Test", "mcp.sandbox": "in the sandbox",
  "mcp.counts": "{on} on · {held} held · {bad} in quarantine", "mcp.quarantined": "{tool} is in quarantine:", "mcp.tools": "Tools", "mcp.log": "Log", "mcp.done": "{server} offers {count} tools", "mcp.none": "No MCP servers yet", "mcp.none.text": "Add one with: oneclaw mcp add NAME -- COMMAND",

  // Agents
  "page.agents": "Agents", "page.agents.lead": "A name with instructions, a model, tools and limits.", "agents.new": "New agent", "agents.name": "Name", "agents.model": "Model", "agents.default": "the default model", "agents.for": "What it is for", "agents.for.about": "Other agents choose by it.", "agents.instructions": "Instructions",
  "agents.tools": "Tools", "agents.tools.of": "{count} of {all}", "agents.limits": "Limits of one run", "agents.rounds": "Rounds", "agents.calls": "Calls", "agents.seconds": "Seconds", "agents.cost": "US dollars", "agents.try": "Try it in a chat", "agents.saved": "{agent} is saved.", "agents.removed": "{agent} is deleted.", "agents.remove": "Delete", "agents.remove.ask": "Delete this agent?", "agents.builtin": "Comes with OneClaw. Save it under another name to change it.", "agents.file": "Written in {place}. Change it there.", "agents.none": "any tool that is on", "agents.other": "Other", "agents.source.built-in": "Comes with OneClaw.", "agents.source.code": "Made by the program.",

  // Models
  "page.models": "Models and keys", "page.models.lead": "A key goes into the header of a request and nowhere else. It can be set here, and never read again.", "models.default": "Default model", "models.test": "Test", "models.testing": "Testing…", "models.no_key": "no key", "models.paste": "Paste {key}", "models.keep": "Keep and test", "models.place": "Key from the {place}.", "models.count": "{count} models.", "models.count.one": "1 model.", "models.answered": "Answered in {time}.", "models.here": "On this machine.", "models.more": "Providers without a key", "models.remove": "Remove the key", "models.removed": "The key is removed.", "models.own": "A server of your own", "models.own.text": "A server that speaks the language of OpenAI: llama.cpp, vLLM, LM Studio and others.", "models.address": "Address", "models.none": "No model can answer yet", "models.none.text": "Paste a key below, or start a server on this machine.", "models.kept": "The key is kept.", "models.default.done": "{model} answers from now on.",

  // Permissions
  "page.permissions": "Permissions", "page.permissions.lead": "What was allowed, for whom, until when. Taken back, it asks again within a second.", "grants.none": "Nothing is remembered", "grants.none.text": "When you answer a question with “This session”, “This agent”, “Always” or “Never”, it stands here, and you can take it back.",
  "grants.list": "Remembered answers", "grants.tool": "Tool", "grants.answer": "Answer", "grants.when": "Only when", "grants.since": "Since", "grants.back": "Take back", "grants.gone": "Taken back: {tool}.", "grants.undo": "Undo", "grants.any": "any arguments", "grants.end": "until {time}", "grants.no_end": "no end", "grants.session_end": "ends with the session", "grants.everywhere": "everywhere", "grants.agent": "agent {agent}", "grants.for.session": "this session", "grants.for.agent": "this agent", "grants.for.everywhere": "always", "grants.never": "never",
  "mode": "Mode", "mode.auto": "auto: ask where a need asks", "mode.ask": "ask: confirm every change", "mode.deny": "deny: ask nobody", "mode.allow": "allow: ask nobody, allow all", "mode.done": "The mode is {mode}.", "mode.plan": "plan: change nothing",
  "rules": "Rules for commands", "rules.lead": "A command that fits a rule is run or refused without a question. A star stands for any words.", "rules.allow": "allowed", "rules.deny": "refused", "rules.add": "Add", "rules.pattern": "Command, as in: git log *", "rules.remove": "Remove {rule}", "rules.none": "No rules yet.",

  // Runs
  "page.runs": "Runs", "page.runs.lead": "What is going on, what waits for you, and what was interrupted.", "runs.none": "No runs yet", "runs.none.text": "Every message starts one.", "runs.going": "Going on", "runs.waiting": "Waits for you", "runs.interrupted": "Interrupted", "runs.over": "Over", "runs.open": "Open", "runs.stop": "Stop", "runs.answer": "Answer",
  "state.running": "running", "state.done": "done", "state.stopped": "stopped", "state.failed": "failed", "state.interrupted": "interrupted", "state.asking": "waits for you", "origin.person": "", "origin.schedule": "by a schedule", "origin.api": "", "runs.calls": "{count} calls", "runs.calls.one": "1 call",

  // First run, palette, keys, notifications
  "welcome": "First steps", "welcome.title": "A model can only talk.", "welcome.title.2": "OneClaw lets it act.", "welcome.lead": "Files, the web, commands, your own tools. You see every call, and you are asked before anything that matters.", "welcome.example": "For example", "welcome.asks": "asks you first",
  "welcome.tiny": "Talk now", "welcome.tiny.text": "A tiny model is included. It runs here, needs no key, and is good enough to see tools at work.", "welcome.tiny.none": "The tiny model is not installed. `make run` installs it.", "welcome.start": "Start",
  "welcome.key": "Use a key", "welcome.key.text": "Anthropic, OpenAI, Gemini and others. The key stays on this machine.", "welcome.key.found": "A key was found: {name}.", "welcome.paste": "Paste a key", "welcome.take": "Take {model}",
  "welcome.server": "Use a server of yours", "welcome.server.none": "No server was found on this machine. Start Ollama, llama.cpp or LM Studio, and look again.", "welcome.server.found": "Found on this machine: {model}.", "welcome.look": "Look again", "welcome.looking": "Looking for servers on this machine…", "welcome.promise": "Tools work in one folder, {folder}. Nothing outside of it is read or written, and this page talks to nobody but this machine.",
  "palette": "Find or do anything", "palette.hint": "Find a conversation, go somewhere, do something", "palette.do": "Do", "palette.go": "Go to", "palette.hits": "Results", "palette.none": "Nothing like that",
  "keys": "Keys", "keys.composer": "To the composer", "keys.line": "New line", "keys.escape": "Stop the answer; close what is open", "keys.answers": "Answer a question that has the focus: once, session, agent, always, no, never",
  "notify.ask": "Notify me when a run ends or asks", "notify.asks": "{agent} asks: {tool}", "notify.done": "The answer is finished", "notify.failed": "The run failed",
};
export const has = (key) => key in TEXTS;
export const t = (key, values = {}) => (TEXTS[key] ?? key).replace(/\{(\w+)\}/g, (_, name) => values[name] ?? "");
