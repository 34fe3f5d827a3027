/**
 * How the console's style sheets become small: the kit's are written for any program, in any direction of writing and
 * any size of everything, and own class names are spelled out for readers.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { kitSheets, shortKitClasses } from './console-packages.mjs';
import { root } from './stamp.mjs';

const folder = join(root, 'console');

/** Texts of the console's sources whose names end so, by path within `console/`. */
function sources(ending) {
  return new Map(
    readdirSync(folder, { recursive: true })
      .filter((path) => ending.test(path))
      .sort()
      .map((path) => [path.replaceAll('\\', '/'), readFileSync(join(folder, path), 'utf8')]),
  );
}

const numbers = new Map();

/**
 * `figures` of `health.module.css` becomes `c7`, say: a letter for the name's place in its file, the number of the file.
 * The same sources give the same names, so files keep theirs from build to build.
 */
export function shortClassName(name, path) {
  if (numbers.size === 0) {
    for (const file of sources(/[.]module[.]css$/).keys()) {
      numbers.set(join(folder, file), { number: numbers.size, names: new Map() });
    }
  }
  const { number, names } = numbers.get(path.replace(/[?].*$/, ''));
  if (!names.has(name)) names.set(name, letters(names.size));
  return `_${names.get(name)}${number}`;
}

/** 0 is `a`, 25 is `z`, 26 is `aa`. */
function letters(place) {
  const last = String.fromCharCode(97 + (place % 26));
  return place < 26 ? last : letters(Math.floor(place / 26) - 1) + last;
}

/** Nothing changes the kit's scale, and no language of the console is written from the right. */
const scaled = /calc\((-?[\d.]+r?em) \* var\(--mantine-scale\)\)/g;
const fromTheRight = /:where\(\[dir="rtl"\]\) [^{},]*\{[^{}]*\}/g;
/** Buttons joined to a group, which no screen has. */
const joinedButtons = /[^{}]*\[data-orientation=[^{}]*\{[^{}]*\}/g;
/** `--button-height-compact-xl: …;`: one of the sizes that a part of the kit can have. */
const sizeVariable = /--[a-z-]+?-((?:compact-|input-)?(?:xs|sm|md|lg|xl)): [^;{}]+;/g;

let sizes;

/** Takes from the kit's own style sheets what no screen of this console shows. */
export const leaveStylesLean = {
  name: 'leave-styles-lean',
  apply: 'build',
  enforce: 'pre',
  transform(code, id) {
    if (!/node_modules\/@mantine\/.*[.]css$/.test(id)) return undefined;
    sizes ??= new Set(
      [...sources(/[.]tsx?$/).values()].flatMap(
        (text) => text.match(/(?<=['"])(?:compact-|input-)?(?:xs|sm|md|lg|xl)(?=['"])/g) ?? [],
      ),
    );
    const lean = code
      .replaceAll(scaled, '$1')
      .replaceAll(fromTheRight, '')
      .replaceAll(sizeVariable, (declaration, size) => {
        // The kit's own defaults are `sm` and `md`, and `xs` where a part stands inside another.
        return sizes.has(size) || /^(?:xs|sm|md)$/.test(size) ? declaration : '';
      });
    const isButton = /\/(?:ActionIcon|Button)[.]css$/.test(id);
    return { code: shortKitClasses(isButton ? lean.replaceAll(joinedButtons, '') : lean), map: null };
  },
};

/** Variables that are asked for by their whole names alone, or not at all: of headings and widths, which no part takes. */
const seldomVariable = /^--mantine-(?:h\d|heading|breakpoint)-/;
/** `--mantine-color-lime-light`: a role of a colour, asked for where a part is given that colour. */
const roleVariable = /^--mantine-color-([a-z]+)-(?:text|filled|light|outline)/;
/** `color="red"`, `color: isBad ? 'red' : 'gray'`. */
const givenColor = /\bcolor(?:=|: )\{?[^}>]{0,80}/g;

/** Leaves out the shades and roles of colours, and the sizes, that no source of the console and no style sheet asks for. */
export function namedShades({ variables, light, dark }) {
  const own = [...sources(/[.](?:tsx?|css)$/).values()];
  const texts = [...own, ...kitSheets()];
  const given = new Set(
    own.flatMap((text) => text.match(givenColor) ?? []).flatMap((text) => text.match(/[a-z]+/g) ?? []),
  );
  const readers = [...texts, ...[variables, light, dark].flatMap((each) => Object.values(each))].join('\n');
  const named = new Set([...readers.matchAll(/\b([a-z]+)[-.](\d)\b/g)].map(([, color, shade]) => `${color}-${shade}`));
  // What the theme itself makes of its colours by default, and what fields take to say that something is wrong.
  for (const color of ['blue', 'gray', 'red']) given.add(color);
  const isNamed = ([name]) => {
    const role = roleVariable.exec(name)?.[1];
    if (role !== undefined ? !given.has(role) : seldomVariable.test(name)) return readers.includes(`var(${name}`);
    const shade = /^--mantine-(?:color-|primary-)([a-z]+-\d)$/.exec(name)?.[1];
    return shade === undefined || named.has(shade);
  };
  const kept = (each) => Object.fromEntries(Object.entries(each).filter(isNamed));
  return { variables: kept(variables), light: kept(light), dark: kept(dark) };
}
