/**
 * A page that shows an image of version 3 with OpenSeadragon, and follows IIIF Auth 2.0: it asks
 * the probe, opens the access service in a window, gets a token by a frame, and ends the session
 * with the logout service.
 */
export const authViewer = (image: string): string => `<!doctype html>
<meta charset="utf-8">
<title>Viewer</title>
<style>body { font: 16px sans-serif } #viewer { width: 600px; height: 450px; border: 1px solid }</style>
<h1 id="heading"></h1>
<p id="status"></p>
<button id="login" hidden>Log in</button> <button id="logout" hidden>Log out</button>
<div id="viewer"></div>
<script src="/openseadragon.js"></script>
<script type="module">
const element = (id) => document.getElementById(id);
const first = (value) => Object.values(value ?? {})[0]?.[0] ?? "";
let token;
let viewer;

const closed = (opened) => new Promise((resolve) => {
  const timer = setInterval(() => {
    if (!opened.closed) return;
    clearInterval(timer);
    resolve();
  }, 50);
});

const open = (id) => window.open(id + "?origin=" + encodeURIComponent(location.origin));

const tokenFrom = (service) => new Promise((resolve) => {
  const messageId = String(Math.random());
  const frame = document.createElement("iframe");
  const listen = ({ origin, data }) => {
    if (origin !== new URL(service.id).origin || data.messageId !== messageId) return;
    removeEventListener("message", listen);
    frame.remove();
    resolve(data);
  };
  addEventListener("message", listen);
  const query = new URLSearchParams({ messageId, origin: location.origin });
  frame.src = service.id + "?" + query;
  document.body.append(frame);
});

const show = async () => {
  const info = await (await fetch("${image}/info.json")).json();
  const probe = info.service?.find(({ type }) => type === "AuthProbeService2");
  const [access] = probe.service;
  const service = (type) => access.service.find((one) => one.type === type);
  const headers = token === undefined ? {} : { authorization: "Bearer " + token };
  const answer = await (await fetch(probe.id, { headers })).json();
  const isAllowed = answer.status === 200;
  viewer?.destroy();
  viewer = undefined;
  if (isAllowed) {
    viewer = OpenSeadragon({ element: element("viewer"), tileSources: info, drawer: "canvas", showNavigationControl: false });
    viewer.addHandler("tile-load-failed", () => { element("status").textContent = "failed"; });
    window.viewer = viewer;
  }
  element("heading").textContent = isAllowed ? "Shown" : first(probe.errorHeading);
  element("status").textContent = answer.status;
  element("login").hidden = isAllowed;
  element("login").textContent = first(access.label);
  element("login").onclick = async () => {
    await closed(open(access.id));
    const message = await tokenFrom(service("AuthAccessTokenService2"));
    token = message.accessToken;
    if (token === undefined) element("status").textContent = message.profile;
    else await show();
  };
  element("logout").hidden = !isAllowed;
  element("logout").textContent = first(service("AuthLogoutService2").label);
  element("logout").onclick = async () => {
    await closed(open(service("AuthLogoutService2").id));
    token = undefined;
    await show();
  };
};

await show();
</script>
`;
