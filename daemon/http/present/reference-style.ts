/** How the reference page looks, in light and dark. */
export const referenceStyle = `
:root{--back:#fff;--text:#1c2024;--quiet:#60646c;--line:#d9dce1;--fill:#f4f5f7;--link:#0b5fc0}
@media(prefers-color-scheme:dark){:root{--back:#111315;--text:#e6e8eb;--quiet:#a0a6ae;--line:#30353b;--fill:#1b1e22;--link:#7db7ff}}
*{box-sizing:border-box}
body{margin:0;background:var(--back);color:var(--text);font:16px/1.55 system-ui,sans-serif;display:grid;grid-template-columns:15rem minmax(0,1fr)}
nav{position:sticky;top:0;height:100vh;overflow:auto;padding:1.5rem 1rem;border-right:1px solid var(--line);font-size:.9rem}
nav ul{list-style:none;margin:0;padding:0}
nav h2{font-size:.9rem;margin:0 0 .5rem;border:0}
main{padding:1.5rem 2rem 6rem;max-width:60rem}
a{color:var(--link)}
a:focus-visible,summary:focus-visible{outline:2px solid var(--link);outline-offset:2px}
.skip{position:absolute;left:-99rem}
.skip:focus{position:static}
h1{font-size:1.7rem;margin:0}
h2{font-size:1.25rem;margin:2.5rem 0 .75rem;padding-bottom:.25rem;border-bottom:1px solid var(--line)}
h4{font-size:.85rem;margin:1rem 0 .35rem;color:var(--quiet)}
.version,.access{color:var(--quiet)}
details{border:1px solid var(--line);border-radius:.4rem;margin:.4rem 0;padding:0 .8rem}
details[open]{padding-bottom:.8rem}
summary{cursor:pointer;padding:.5rem 0;display:flex;gap:.7rem;align-items:baseline;flex-wrap:wrap}
summary .access{margin-left:auto;font-size:.8rem}
.method{font:600 .75rem ui-monospace,monospace;min-width:3.6rem;text-align:center;border:1px solid var(--line);border-radius:.25rem;padding:.1rem .3rem}
.DELETE{border-style:double;border-width:3px}
code,pre{font:.85rem/1.5 ui-monospace,monospace}
code{overflow-wrap:anywhere}
pre{background:var(--fill);padding:.7rem;border-radius:.3rem;overflow:auto;margin:0;max-height:30rem}
table{border-collapse:collapse;width:100%;font-size:.88rem;display:block;overflow-x:auto}
th,td{text-align:left;vertical-align:top;border-bottom:1px solid var(--line);padding:.3rem .6rem .3rem 0}
@media(max-width:52rem){body{display:block}nav{position:static;height:auto;border:0;border-bottom:1px solid var(--line)}main{padding:1rem}}
@media print{nav{display:none}body{display:block}}
`;
