import { escapeHtml } from "../../core/html.ts";
import type { LoginStep, LoginTexts } from "./provider.ts";

/** A page that says why a login is not possible, and what to do. */
export interface Notice {
  readonly status: number;
  readonly title: string;
  /** Sentences for the person who logs in, without internals. */
  readonly message: string;
  /** Where to start again, if that can help. */
  readonly again?: string;
  readonly texts: LoginTexts;
}

/** The page of a notice. */
export const noticePage = ({ status, title, message, again, texts }: Notice): LoginStep => ({
  kind: "page",
  status,
  html: documentOf(
    `${title} – ${texts.label}`,
    title,
    `<p role="alert">${escapeHtml(message)}</p>${
      again === undefined ? "" : `\n<p><a href="${escapeHtml(again)}">Try again</a></p>`
    }`,
  ),
});

/** The content of a login form. */
export interface LoginForm {
  readonly texts: LoginTexts;
  /** The form's action. */
  readonly action: string;
  /** The name entered before. */
  readonly name?: string;
  /** Why the last attempt failed. */
  readonly problem?: string;
}

/** A form for a name and a password, with the fields `name` and `password`. */
export const formPage = (
  status: number,
  { texts, action, name = "", problem }: LoginForm,
): LoginStep => {
  const { label, heading = label, note } = texts;
  const focus = (wanted: boolean): string => (wanted ? " autofocus" : "");
  const parts = [
    ...(note === undefined ? [] : [`<p>${escapeHtml(note)}</p>`]),
    ...(problem === undefined ? [] : [`<p role="alert" id="problem">${escapeHtml(problem)}</p>`]),
    `<form method="post" action="${escapeHtml(action)}"${problem === undefined ? "" : ' aria-describedby="problem"'}>`,
    `<p><label for="name">User name</label>`,
    `<input id="name" name="name" autocomplete="username" autocapitalize="none" spellcheck="false" maxlength="255" required value="${escapeHtml(name)}"${focus(name === "")}></p>`,
    `<p><label for="password">Password</label>`,
    `<input id="password" name="password" type="password" autocomplete="current-password" maxlength="1024" required${focus(name !== "")}></p>`,
    `<p><button>Log in</button></p>`,
    `</form>`,
  ];
  return { kind: "page", status, html: documentOf(heading, heading, parts.join("\n")) };
};

/** A form that only has to be confirmed; `button` is its button's text. */
export const confirmPage = (texts: LoginTexts, action: string, button: string): LoginStep => {
  const { label, heading = label, note } = texts;
  const parts = [
    ...(note === undefined ? [] : [`<p>${escapeHtml(note)}</p>`]),
    `<form method="post" action="${escapeHtml(action)}">`,
    `<p><button>${escapeHtml(button)}</button></p>`,
    `</form>`,
  ];
  return { kind: "page", status: 200, html: documentOf(heading, heading, parts.join("\n")) };
};

const documentOf = (title: string, heading: string, body: string): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${escapeHtml(heading)}</h1>
${body}
</main>
</body>
</html>
`;

const style =
  ":root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;max-width:24rem;margin:10vh auto;padding:0 1rem;overflow-wrap:break-word}label{display:block}input,button{font:inherit;box-sizing:border-box;padding:.4rem .6rem}input{width:100%}";
