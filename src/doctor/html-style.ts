/** The style of the page. */
export const pageStyle = `
:root { color-scheme: light dark; --ground: #fff; --ink: #1c1e21; --aside: #565b63; --line: #d5d8dd; --raised: #f4f5f7; --accent: #0b5cad; --error: #a61b1b; --warning: #7a4b00; --note: #3d5a6c; }
@media (prefers-color-scheme: dark) { :root { --ground: #16181b; --ink: #e7e9ec; --aside: #a6adb7; --line: #3a3f46; --raised: #202328; --accent: #7db8ff; --error: #ff9b94; --warning: #f2c169; --note: #a9c7da; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem clamp(.75rem, 3vw, 2rem) 3rem; max-width: 90rem; background: var(--ground); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.5rem; margin: 0; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
header p { margin: .25rem 0 0; color: var(--aside); }
.figures { display: flex; flex-wrap: wrap; gap: .75rem; margin: 0 0 1rem; }
.figures div { border: 1px solid var(--line); border-radius: .5rem; background: var(--raised); padding: .5rem .9rem; min-width: 7.5rem; }
.figures dt { color: var(--aside); font-size: .875rem; }
.figures dd { margin: 0; font-size: 1.35rem; font-variant-numeric: tabular-nums; }
.figures .error dd { color: var(--error); }
li { margin-bottom: .4rem; }
code { background: var(--raised); border: 1px solid var(--line); border-radius: .25rem; padding: .05rem .35rem; overflow-wrap: anywhere; }
.scrolls { overflow-x: auto; border: 1px solid var(--line); border-radius: .5rem; }
table { border-collapse: collapse; width: 100%; font-size: .9375rem; }
th, td { text-align: start; padding: .4rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top; }
tbody tr:last-child > * { border-bottom: 0; }
thead th { background: var(--raised); white-space: nowrap; }
tbody th { font-weight: 500; overflow-wrap: anywhere; min-width: 12rem; }
.number { text-align: end; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.plain { white-space: nowrap; }
thead button { all: unset; cursor: pointer; font-weight: 600; }
thead button::after { content: " \\2195"; color: var(--aside); }
th[aria-sort="ascending"] button::after { content: " \\2191"; color: var(--ink); }
th[aria-sort="descending"] button::after { content: " \\2193"; color: var(--ink); }
img { display: block; width: 72px; height: 72px; object-fit: contain; }
.findings { margin: 0; padding: 0; list-style: none; min-width: 18rem; }
.findings b { font-weight: 600; }
.error b { color: var(--error); } .warning b { color: var(--warning); } .note b { color: var(--note); }
form { display: flex; flex-wrap: wrap; gap: .75rem 1rem; margin-bottom: .5rem; }
label { display: flex; flex-wrap: wrap; align-items: center; gap: .4rem; }
input, select, nav button { font: inherit; color: inherit; background: var(--ground); border: 1px solid var(--aside); border-radius: .35rem; padding: .3rem .55rem; max-width: 100%; }
nav { display: flex; align-items: center; gap: 1rem; margin-top: .75rem; }
nav button { cursor: pointer; } nav button:disabled { opacity: .5; cursor: default; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
[hidden] { display: none !important; }
#count { margin: 0 0 .5rem; color: var(--aside); }
@media print { form, nav { display: none; } }
`;
