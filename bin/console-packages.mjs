/**
 * What of its packages the console does without, and by which shorter names it knows the rest: parts of the kit and of the
 * router that this console never reaches still came along, since their own packages give the bundler no way to see it.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './stamp.mjs';

const packages = join(root, 'node_modules');

/** `react-router` leads every bundler to its development form, which says at run time what is wrong with a program. */
export const packageAliases = [
  { find: 'react-remove-scroll', replacement: join(root, 'console/theme/no-scroll-lock.tsx') },
  { find: /^react-router$/, replacement: join(packages, 'react-router/dist/production/index.mjs') },
  { find: /^react-router\/dom$/, replacement: join(packages, 'react-router/dist/production/dom-export.mjs') },
  // What stands in for React's own hook where React is too old to have it.
  { find: /^use-sync-external-store\/shim$/, replacement: 'react' },
];

/**
 * The kit's variables are a file made by the build, the theme names its own colours and which of them bear white letters
 * (app.tsx, theme.ts), and nothing is drawn in a gradient.
 */
const unreachedParts = new Map([
  ['MantineCssVariables', 'export const MantineCssVariables = () => null;'],
  ['MantineClasses', 'export const MantineClasses = () => null;'],
  ['default-colors', 'export const DEFAULT_COLORS = {};'],
  ['get-gradient', "export const getGradient = () => '';"],
  ['luminance', 'export const luminance = () => 0, isLightColor = () => false;'],
]);

/** Names for the tools of developers. Standing beside a component, they also keep it in the bundle where nothing uses it. */
const displayName = /^[\w$]+\.displayName = "(?!@mantine\/core\/(?:CardSection|EmptyStateIndicator)")[^"]*";$/gm;
/** Of calls the bundler must be told that they do nothing but answer. */
const wrapped = /= (React\d*\.(?:createContext|forwardRef|memo)\()/g;
/**
 * Where the router's links and matches lead to what only its servers and data routers have: loaders of other pages, and
 * the panel for their failures. A router without these places stops the build, so that an upgrade looks here.
 */
const ways = [
  [/shouldPrefetch && !isAbsolute \? [^;]* : link;/, 'link;'],
  [/dataRouterState && \(match\.route\.ErrorBoundary [^?]*\? [^;]* : getChildren\(\);/, 'getChildren();'],
  [/RenderErrorBoundary\.contextType = \w+;/, ''],
];

function withoutServerParts(code) {
  return ways.reduce((text, [way, instead]) => {
    if (!way.test(text)) throw new Error(`react-router has no ${way} (bin/console-packages.mjs)`);
    return text.replace(way, instead);
  }, code);
}

export const leavePackagesLean = {
  name: 'leave-packages-lean',
  apply: 'build',
  enforce: 'pre',
  load(id) {
    const part = /@mantine\/core\/esm\/core\/.*\/([\w-]+)\.mjs$/.exec(id)?.[1];
    return unreachedParts.get(part);
  },
  transform(code, id) {
    if (/node_modules\/(?:@mantine|react-router)\/.*\.mjs$/.test(id)) {
      const lean = shortKitClasses(code).replaceAll(displayName, '').replaceAll(wrapped, '= /* @__PURE__ */ $1');
      return { code: code.includes('function BrowserRouter(') ? withoutServerParts(lean) : lean, map: null };
    }
    return undefined;
  },
};

const kitClass = /\bm_[0-9a-f]{6,8}\b/g;
const shortNames = new Map();

/** The kit's class names are digests; what stands for them here is the place that each has among them. */
export function shortKitClasses(text) {
  if (shortNames.size === 0) {
    for (const name of new Set(kitSheets().flatMap((sheet) => sheet.match(kitClass) ?? []))) {
      shortNames.set(name, `m${shortNames.size.toString(36)}`);
    }
  }
  return text.replaceAll(kitClass, (name) => shortNames.get(name) ?? name);
}

/** Every style sheet of the kit but that of its variables, for which the console has its own. */
export function kitSheets() {
  return readdirSync(join(packages, '@mantine'), { recursive: true })
    .filter((path) => /(?:^|[\\/])styles(?:[\\/][\w-]+)?[.]css$/.test(path) && !/variables/.test(path))
    .filter((path) => !/core[\\/]styles[.]css$/.test(path))
    .sort()
    .map((path) => readFileSync(join(packages, '@mantine', path), 'utf8'));
}
