/** Colours are variables of the page's own choosing; sizes follow the text size of the reader. */
export const STYLE = `
:host {
  --_accent: var(--signalbox-accent, #1f5fbf);
  --_on-accent: var(--signalbox-on-accent, #ffffff);
  --_surface: var(--signalbox-surface, #ffffff);
  --_text: var(--signalbox-text, #1b1f24);
  --_muted: var(--signalbox-muted, #57606a);
  --_line: var(--signalbox-line, #d0d7de);
  --_edge: var(--signalbox-edge, #7d8590);
  --_theirs: var(--signalbox-theirs, #eef1f5);
  --_problem: var(--signalbox-problem, #b42318);
  --_radius: var(--signalbox-radius, 14px);
  display: block;
  font-family: var(--signalbox-font, system-ui, -apple-system, "Segoe UI", "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif);
  font-size: var(--signalbox-font-size, 1rem);
  line-height: 1.45;
  color: var(--_text);
  color-scheme: light;
}
:host([mode="bubble"]) { position: fixed; inset-block-end: 1rem; inset-inline-end: 1rem; z-index: 2147483000; }
:host([mode="page"]) { position: fixed; inset: 0; background: var(--_surface); }
*, *::before, *::after { box-sizing: border-box; }
[hidden] { display: none !important; }
button { font: inherit; color: inherit; cursor: pointer; border: 1px solid var(--_edge); background: var(--_surface); border-radius: 999px; min-block-size: 44px; padding: .35rem .9rem; }
button:hover { background: var(--_theirs); }
:focus-visible { outline: 3px solid var(--_accent); outline-offset: 2px; }
.panel { container-type: inline-size; display: flex; flex-direction: column; block-size: var(--signalbox-height, 32rem); max-block-size: 100%; background: var(--_surface); border: 1px solid var(--_line); border-radius: var(--_radius); overflow: hidden; }
:host([mode="bubble"]) .panel { position: absolute; inset-block-end: 4.5rem; inset-inline-end: 0; inline-size: min(24rem, calc(100vw - 2rem)); block-size: min(36rem, calc(100dvh - 7rem)); max-block-size: none; box-shadow: 0 8px 30px rgb(0 0 0 / .25); }
:host([mode="page"]) .panel { block-size: 100%; border: 0; border-radius: 0; inline-size: min(48rem, 100%); margin-inline: auto; }
.head { position: relative; display: flex; align-items: center; gap: .5rem; padding: .5rem .75rem; border-block-end: 1px solid var(--_line); }
.title { flex: 1; min-inline-size: 0; line-height: 1.25; }
.title > * { margin: 0; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.title h2 { font-size: 1.05em; }
.title p { font-size: .85em; color: var(--_muted); }
.person { flex: 0 1 auto; border-radius: 1.4rem; max-inline-size: 55%; font-weight: 600; font-size: .85em; line-height: 1.2; padding-inline: .8rem; }
.shut { flex: none; inline-size: 44px; padding: 0; display: grid; place-items: center; border-color: transparent; }
.icon, .tool { flex: none; inline-size: 44px; padding: 0; display: grid; place-items: center; border-color: transparent; }
.icon svg, .tool svg { fill: none; stroke: currentColor; stroke-linecap: round; }
.icon svg { stroke-width: 3; }
.tool svg { stroke-width: 1.8; }
.icon, .tool { color: var(--_muted); }
.menu { position: absolute; inset-block-start: calc(100% - .25rem); inset-inline-end: .5rem; z-index: 1; display: grid; min-inline-size: 11rem; padding: .3rem; background: var(--_surface); border: 1px solid var(--_line); border-radius: var(--_radius); box-shadow: 0 8px 24px rgb(0 0 0 / .2); }
.menu button { border-color: transparent; border-radius: calc(var(--_radius) - 4px); text-align: start; }
.menu [aria-checked]::after { content: ""; float: inline-end; inline-size: 2.2rem; block-size: 1.25rem; margin-block-start: .15rem; border-radius: 999px; border: 1px solid var(--_edge); background: radial-gradient(circle at .6rem 50%, var(--_edge) .38rem, transparent .42rem); }
.menu [aria-checked="true"]::after { border-color: var(--_accent); background: radial-gradient(circle at 1.5rem 50%, var(--_on-accent) .38rem, transparent .42rem) var(--_accent); }
.emoji { display: grid; grid-template-columns: repeat(6, 1fr); max-block-size: 11rem; overflow-y: auto; padding: .4rem .5rem; border-block-start: 1px solid var(--_line); }
.emoji button { border-color: transparent; padding: 0; font-size: 1.4em; border-radius: 8px; outline-offset: -3px; }
.chats { display: grid; gap: .4rem; list-style: none; margin: .5rem 0 1rem; padding: 0; }
.chats button { inline-size: 100%; text-align: start; border-radius: var(--_radius); border-color: var(--_line); padding: .6rem .8rem; display: grid; }
.chats time { font-size: .8em; color: var(--_muted); }
.preview { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
h3 { margin: 0; font-size: 1em; }
.scroll { flex: 1; overflow-y: auto; padding: .75rem; overscroll-behavior: contain; }
.scroll:focus-visible { outline-offset: -3px; }
.log { display: flex; flex-direction: column; }
.greeting { display: grid; justify-items: center; gap: .5rem; text-align: center; margin-block: 1rem; }
.greeting p { margin: 0; color: var(--_muted); }
.greeting .questions { align-items: center; }
.day { align-self: center; font-size: .8em; color: var(--_muted); margin-block: .75rem .25rem; }
.message { position: relative; max-inline-size: 85%; align-self: flex-start; margin-block-start: .6rem; }
.message.more { margin-block-start: .25rem; }
.message:is([data-sender="ai"], [data-sender="human"]) { padding-inline-start: 2.4rem; max-inline-size: 92%; }
.message[data-sender="user"] { align-self: flex-end; }
.message[data-sender="system"] { align-self: center; max-inline-size: 95%; text-align: center; color: var(--_muted); font-size: .9em; }
.avatar { position: absolute; inset-inline-start: 0; inset-block-start: 1.3rem; inline-size: 1.9rem; block-size: 1.9rem; display: grid; place-items: center; border-radius: 50%; font-size: .85em; font-weight: 600; background: var(--_theirs); border: 1px solid var(--_line); }
.avatar::before { content: attr(data-initial); }
.message[data-sender="human"] .avatar { background: var(--_accent); border-color: var(--_accent); color: var(--_on-accent); }
.who { font-size: .78em; color: var(--_muted); margin-inline: .25rem; }
.name { font-weight: 600; }
.name, .role, time { unicode-bidi: isolate; }
.role::before { content: "· "; }
.more > .avatar, .more > .who { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); }
.text { inline-size: fit-content; max-inline-size: 100%; background: var(--_theirs); border-radius: var(--_radius); padding: .5rem .8rem; overflow-wrap: anywhere; }
.text > :first-child, li > :first-child, blockquote > :first-child { margin-block-start: 0; }
.text > :last-child, li > :last-child, blockquote > :last-child { margin-block-end: 0; }
.text p { margin-block: .5em; white-space: pre-wrap; }
.text :is(ul, ol) { margin-block: .4em; padding-inline-start: 1.4em; }
.text li { margin-block: .15em; }
.text .heading { font-weight: 600; }
.text blockquote { margin: .4em 0; padding-inline-start: .7em; border-inline-start: 3px solid var(--_edge); }
.text code { font: .9em ui-monospace, Menlo, Consolas, monospace; background: var(--_surface); border-radius: 4px; padding: .1em .3em; }
.text pre { margin-block: .4em; overflow-x: auto; background: var(--_surface); border-radius: 8px; padding: .5em .7em; }
.text pre code { padding: 0; }
.message[data-sender="user"] .who { text-align: end; }
.message[data-sender="user"] .text { margin-inline-start: auto; background: var(--_accent); color: var(--_on-accent); }
.message[data-sender="system"] .text { inline-size: auto; background: none; padding: 0; }
.text a { color: inherit; }
.file { margin-block-start: .25rem; display: flex; gap: .4rem; align-items: center; }
.file:has(img) { flex-wrap: wrap; }
.file img { flex-basis: 100%; min-inline-size: 0; max-inline-size: 100%; max-block-size: 14rem; object-fit: contain; border-radius: calc(var(--_radius) - 6px); }
.file svg { flex: none; fill: none; stroke: currentColor; stroke-width: 1.8; stroke-linecap: round; stroke-linejoin: round; }
.state { display: flex; align-items: center; justify-content: flex-end; gap: .5rem; font-size: .8em; color: var(--_muted); margin-block-start: .2rem; }
.state[data-state="failed"] { color: var(--_problem); font-weight: 600; }
.state button { color: var(--_text); font-weight: 400; padding-block: 0; }
.questions { display: flex; flex-direction: column; align-items: flex-start; gap: .35rem; list-style: none; margin: .35rem 0 0; padding: 0; }
.questions button { text-align: start; border-radius: 1.4rem; }
.rating { margin-block-start: -.15rem; }
.thumbs { display: flex; align-items: center; margin-inline-start: -.5rem; }
.thumb { inline-size: 44px; padding: 0; display: grid; place-items: center; border-color: transparent; background: none; color: var(--_muted); }
.thumb + .thumb { margin-inline-start: -.5rem; }
.thumb svg { fill: none; stroke: currentColor; stroke-width: 1.8; stroke-linejoin: round; stroke-linecap: round; }
.thumb.bad svg { transform: rotate(180deg); }
.thumb[aria-pressed="true"] { color: var(--_accent); }
.thumb[aria-pressed="true"] svg { fill: currentColor; fill-opacity: .25; }
.thanks { font-size: .85em; color: var(--_muted); }
.comment { display: flex; gap: .4rem; padding: 0; border: 0; }
input { flex: 1; min-inline-size: 0; font: inherit; font-size: .9em; color: inherit; background: var(--_surface); border: 1px solid var(--_edge); border-radius: 999px; padding: .35rem .9rem; min-block-size: 44px; }
input::placeholder { color: var(--_muted); opacity: 1; }
.card:not(:empty) { display: grid; justify-items: center; text-align: center; margin-block: 1rem .25rem; padding: .75rem; border: 1px solid var(--_line); border-radius: var(--_radius); }
.card p { margin: 0; }
.card .thumbs { justify-content: center; margin: 0; flex-wrap: wrap; }
.typing { margin-block-start: .5rem; color: var(--_muted); font-size: .9em; min-block-size: 1.4em; }
.status { padding: .4rem .75rem; font-size: .9em; color: var(--_problem); border-block-start: 1px solid var(--_line); }
.status:empty { display: none; }
.panel > form { display: flex; align-items: flex-end; gap: .5rem; padding: .6rem .75rem; border-block-start: 1px solid var(--_line); }
textarea { flex: 1; min-inline-size: 0; font: inherit; color: inherit; background: var(--_surface); border: 1px solid var(--_edge); border-radius: var(--_radius); padding: .6rem .8rem; min-block-size: 44px; max-block-size: 9rem; resize: none; field-sizing: content; }
textarea::placeholder { color: var(--_muted); opacity: 1; }
.send { background: var(--_accent); color: var(--_on-accent); border-color: var(--_accent); font-weight: 600; }
.send:hover { background: var(--_accent); filter: brightness(1.1); }
.launch { inline-size: 3.5rem; block-size: 3.5rem; padding: 0; display: grid; place-items: center; background: var(--_accent); color: var(--_on-accent); border-color: var(--_accent); box-shadow: 0 4px 14px rgb(0 0 0 / .3); margin-inline-start: auto; position: relative; }
.launch:hover { background: var(--_accent); filter: brightness(1.1); }
.launch svg { fill: none; stroke: currentColor; stroke-width: 2; stroke-linejoin: round; }
.badge { position: absolute; inset-block-start: -.3rem; inset-inline-end: -.3rem; min-inline-size: 1.4rem; border-radius: 999px; background: var(--_problem); color: var(--_surface); font-size: .8rem; line-height: 1.4rem; padding-inline: .3rem; }
.unseen { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
@media (max-width: 30rem) {
  .head { padding: .4rem .5rem; gap: .3rem; }
  .head > .icon, .head > .shut { margin-inline-start: -.25rem; }
  .scroll, .panel > form { padding-inline: .5rem; }
  .panel > form { padding-block-end: max(.6rem, env(safe-area-inset-bottom)); }
  :host([mode="bubble"]) .panel { position: fixed; inset: 0; inline-size: auto; block-size: 100dvh; border: 0; border-radius: 0; padding-block-start: env(safe-area-inset-top); }
  .panel:not([hidden]) + .launch { display: none; }
}
/* Two short lines, so that the heading keeps its place, also in the bubble of a wide window. */
@container (max-width: 30rem) { .person { flex: none; inline-size: min-content; min-inline-size: 8.2em; padding-inline: .5rem; } }
@media (forced-colors: active) { .text, .avatar { border: 1px solid; } }
@media (prefers-reduced-motion: no-preference) { .scroll { scroll-behavior: smooth; } }
`;

/** Comes after the other where the chat is dark. */
export const DARK_STYLE = `
:host {
  --_accent: var(--signalbox-accent-dark, #79b0ff);
  --_on-accent: var(--signalbox-on-accent-dark, #0b1526);
  --_surface: var(--signalbox-surface-dark, #14181d);
  --_text: var(--signalbox-text-dark, #e8ecf1);
  --_muted: var(--signalbox-muted-dark, #a3adb8);
  --_line: var(--signalbox-line-dark, #343b44);
  --_edge: var(--signalbox-edge-dark, #76808c);
  --_theirs: var(--signalbox-theirs-dark, #252c34);
  --_problem: var(--signalbox-problem-dark, #ff9d94);
  color-scheme: dark;
}
`;
