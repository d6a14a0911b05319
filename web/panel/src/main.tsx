import "./styles/base.css";
import "./styles/layout.css";
import "./styles/controls.css";
import "./styles/parts.css";
import "./styles/sections.css";
import { render } from "preact";
import { App } from "./app.tsx";
import { createPanel, PanelContext } from "./panel.ts";

const place = document.getElementById("panel");
if (place === null) throw new Error("The page has no element for the panel.");
place.replaceChildren();
const panel = createPanel();
render(
  <PanelContext.Provider value={panel}>
    <App />
  </PanelContext.Provider>,
  place,
);
