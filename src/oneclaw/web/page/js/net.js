// Requests and the socket. A request that changes something is a POST with a header that no other site can send.
export class Failed extends Error {
  constructor(status, message) { super(message); this.status = status; }
}

async function request(path, options) {
  const response = await fetch("/api" + path, { credentials: "same-origin", ...options });
  const body = await response.json().catch(() => ({}));
  if (!response.ok) throw new Failed(response.status, body.error ?? response.statusText);
  return body;
}
export const get = (path) => request(path);
export const post = (path, body = {}) =>
  request(path, { method: "POST", headers: { "content-type": "application/json", "x-oneclaw": "1" }, body: JSON.stringify(body) });

// Puts a file into the workspace; returns its path there.
export const upload = (file) =>
  request(`/files?name=${encodeURIComponent(file.name)}`, { method: "POST", headers: { "content-type": "application/octet-stream", "x-oneclaw": "1" }, body: file });

// The link in the address is used once, then taken out of it.
export async function logIn() {
  const link = new URLSearchParams(location.hash.slice(1)).get("link");
  if (!link) return;
  history.replaceState(null, "", "/");
  await post("/login", { link }).catch(() => {});
}

const WAITS = [500, 1000, 2000, 4000, 8000, 15000];

// One socket for the tab. `cursors()` says what is watched and how far it was read; `heard` gets each message.
export function connect(cursors, heard, changed) {
  let socket = null, tries = 0, timer = 0;
  const open = () => {
    clearTimeout(timer);
    if (socket) { socket.onclose = null; socket.close(); }
    socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/api/socket`);
    socket.onopen = () => { tries = 0; changed(0); watch(); };
    socket.onmessage = (message) => heard(JSON.parse(message.data));
    socket.onclose = () => {
      const wait = WAITS[Math.min(tries++, WAITS.length - 1)] * (0.75 + Math.random() / 2);
      changed(Math.ceil(wait / 1000));
      timer = setTimeout(open, wait);
    };
  };
  const watch = () => socket?.readyState === WebSocket.OPEN && socket.send(JSON.stringify({ watch: cursors() }));
  addEventListener("online", open);
  open();
  return { watch, retry: open };
}
