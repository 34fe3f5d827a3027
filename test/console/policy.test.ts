/** What the console's sources must not do, so that its content policy holds and no stranger's text becomes code. */
import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { consoleSources } from '../support/console-sources.ts';

const policy = suite('what the console keeps from');

const code = consoleSources(['.ts', '.tsx', 'index.html', '.js']);
const styles = consoleSources(['.css']);

/** Every place that holds the pattern, as `file:line: text`. */
function places(pattern: RegExp, { sources = code, except = [] as readonly string[] } = {}): string[] {
  return sources
    .filter(({ path }) => !except.includes(path))
    .flatMap(({ path, code: text }) =>
      text.split('\n').flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [])),
    );
}

/** Every opening tag of an element, over lines, as `file: tag`. */
function tags(name: string): string[] {
  return code.flatMap(({ path, code: text }) =>
    [...text.matchAll(new RegExp(`<${name}(?=[\\s/>])(?:=>|[^>])*>`, 'g'))].map(([tag]) => `${path}: ${tag}`),
  );
}

policy('puts text into a page as HTML in one place alone', () => {
  assert.equal(places(/dangerouslySetInnerHTML/, { except: ['console/components/rich-text.tsx'] }), []);
  assert.equal(places(/\b(?:inner|outer)HTML\b|insertAdjacentHTML|document\.write|createContextualFragment/), []);
  assert.equal(places(/\brehypeRaw\b|rehype-raw/), []);
});

policy('makes no code of text', () => {
  assert.equal(places(/\beval\(|new Function\(|javascript:\s*\w+\(|set(?:Timeout|Interval)\(\s*['"`]/), []);
});

policy('writes no style element, and uses no part of the kit that does', () => {
  assert.equal(places(/<style\b|createElement\(['"]style['"]|insertRule|adoptedStyleSheets/), []);
  assert.equal(places(/\b(?:AppShell|SimpleGrid|MediaQuery|InlineStyles)\b|\bGrid\b(?=.*from '@mantine)|<Grid\b/), []);
  assert.equal(places(/\b(?:visibleFrom|hiddenFrom)\b/), []);
  assert.equal(places(/\{\{\s*(?:base|xs|sm|md|lg|xl):/), []);
});

policy('draws drawers, dialogs and the palette without the scroll lock that writes style elements', () => {
  const theme = readFileSync(new URL('../../console/theme/theme.ts', import.meta.url), 'utf8');
  const defaults = code.filter(({ path }) => path.startsWith('console/theme/')).map((source) => source.code);
  const isDefault = (name: string) =>
    [theme, ...defaults].some((text) => new RegExp(`\\b${name}\\b[^;]*?lockScroll: false`, 's').test(text));
  for (const name of ['Drawer', 'Modal', 'Spotlight']) {
    const unlocked = tags(`${name}(?:\\.Root)?`).filter((tag) => !isDefault(name) && !/lockScroll=\{false\}/.test(tag));
    assert.equal(unlocked, []);
  }
});

policy('loads the style sheet of each part of the kit, never all of them', () => {
  assert.equal(places(/['"]@mantine\/core\/styles(?:\.layer)?\.css['"]/), []);
  assert.equal(places(/@import|url\(\s*['"]?(?:https?:)?\/\//, { sources: styles }), []);
});

policy('hands no page the window that opened it', () => {
  const opened = tags('(?:a|Anchor|Button|ActionIcon|NavLink|Menu\\.Item|form)');
  assert.equal(
    opened.filter((tag) => /target=["{'"]+_blank/.test(tag) && !/noopener/.test(tag)),
    [],
  );
  assert.equal(
    places(/window\.open\(/).filter((place) => !/noopener/.test(place)),
    [],
  );
});

policy("leaves no eye of a password field with the kit's English name", () => {
  const own = 'console/components/secret-input.tsx';
  assert.ok(tags('PasswordInput').some((tag) => tag.startsWith(own) && tag.includes('visibilityToggleButtonProps=')));
  assert.equal(places(/<PasswordInput\b/, { except: [own] }), []);
});

policy('frames strangers in a sandbox, and listens to none of them', () => {
  assert.equal(
    tags('iframe').filter((tag) => !/\bsandbox=/.test(tag)),
    [],
  );
  assert.equal(places(/addEventListener\(\s*['"]message['"]|\bonmessage\b/, { except: ownChannels() }), []);
});

/** Files that talk to other tabs of the console itself. */
function ownChannels(): string[] {
  return code.filter(({ code: text }) => text.includes('new BroadcastChannel(')).map(({ path }) => path);
}

policy('goes to no other place than its own, but where an admin names one', () => {
  // Where to look for a newer version is part of the product.
  const except = ['console/pages/settings/other/release-check.ts'];
  assert.equal(places(/\bfetch\(\s*['"`]https?:|new WebSocket\(|sendBeacon/, { except }), []);
  assert.equal(places(/<(?:script|link)\b[^>]*(?:src|href)="(?:https?:)?\/\//), []);
});

policy('is drawn by one kit', () => {
  const lock: { packages: Record<string, unknown> } = JSON.parse(
    readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'),
  );
  const others =
    /node_modules\/(?:antd|@mui\/|@chakra-ui\/|@emotion\/|styled-components|semantic-ui|bootstrap|react-bootstrap|@douyinfe\/|@arco-design\/|element-|primereact|@headlessui\/|@blueprintjs\/|@fluentui\/|tailwindcss|jquery)/;
  assert.equal(
    Object.keys(lock.packages).filter((path) => others.test(path)),
    [],
  );
});

policy.run();
