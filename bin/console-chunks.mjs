/**
 * How the console's code is cut into files, and which of them a page consists of. Cut by itself, the bundler makes a file
 * of each part that any two pages share: a cold visit asks for a hundred small ones, six at a time over HTTP/1.1, and a
 * phone 150 ms away waits for seconds. Here what most visits load is put together by when it is needed.
 */

/** What fields, cards and messages are made of: all that a form at the front door needs of the kit. */
const simpleParts = [
  'ActionIcon',
  'Alert',
  'Anchor',
  'Button',
  'CloseButton',
  'Divider',
  'Group',
  'Input',
  'InputBase',
  'Loader',
  'Paper',
  'PasswordInput',
  'Stack',
  'Text',
  'TextInput',
  'Title',
  'UnstyledButton',
  'VisuallyHidden',
].join('|');
/** What opens over a page; the frame's own menus load it in an idle moment. */
const floatingParts = 'FocusTrap|HoverCard|Menu|OptionalPortal|Popover|Portal|ScrollArea|Tooltip|Transition';
/** What takes the place of a page for a while. */
const dialogParts = 'Drawer|Modal|ModalBase';
const kitPart = (names) => `node_modules.@mantine.core.(?:esm.components|styles).(?:${names})[./]`;

/** Every page, and what every visit loads sooner or later. */
const soonNeeded =
  /console\/index[.]html$|console\/pages\/.*-page[.]tsx$|console\/(?:pages\/front|shell|sign-in)\/|toast-/;
const ownStyles = /console.*[.]module[.]css$/;
/** Heavy enough to be files of their own, and seldom needed together. */
const heavyParts = /chart|playground|reference|rich-/;

/** True of what only a dialog, a drawer or a menu of some page asks for. */
function isForLater(id, context, seen = new Set()) {
  if (soonNeeded.test(id)) return false;
  if (seen.has(id)) return true;
  seen.add(id);
  return context.getModuleInfo(id).importers.every((importer) => isForLater(importer, context, seen));
}

/** Groups of rolldown's `output.codeSplitting`; what none of them takes is cut by the bundler. */
export const chunkGroups = [
  {
    // Small sheets, which together compress to half of what they do apart.
    name: (id, context) => (isForLater(id, context) ? 'later' : null),
    debugName: 'later',
    test: (id) => ownStyles.test(id) && !heavyParts.test(id),
    priority: 8,
  },
  { name: 'frame', tags: ['$initial'], test: (id) => !id.includes('/catalogues/'), priority: 7 },
  {
    name: 'basic',
    test: new RegExp(
      `${kitPart(simpleParts)}|use-focus-within|console.(?:api.(?:failures|use-address)|components.(?:late-part|use-unsaved-work))|daemon.contract.(?:loose|models)[.]`,
    ),
    minShareCount: 3,
    priority: 6,
  },
  { name: 'front', test: /console.(?:pages.front|sign-in).(?!code-field|passkey[.])/, minShareCount: 3, priority: 5 },
  {
    name: 'floating',
    test: new RegExp(`@floating-ui|no-scroll-lock|${kitPart(floatingParts)}`),
    minShareCount: 3,
    priority: 4,
  },
  {
    name: 'dialogs',
    test: new RegExp(`${kitPart(dialogParts)}|console.components.(?:dialog|use-focus-back)[.]`),
    minShareCount: 3,
    priority: 3.5,
  },
  { name: 'choices', test: new RegExp(kitPart('FloatingIndicator|SegmentedControl')), minShareCount: 3, priority: 3.2 },
  { name: 'areas', test: new RegExp(kitPart('Textarea')), minShareCount: 3, priority: 3.1 },
  { name: 'fields', test: /node_modules.@mantine.(?:core|form)./, minShareCount: 8, priority: 3 },
  {
    name: 'list',
    test: /console.components.(?:data-table|filter-|pager|section|table-)/,
    minShareCount: 3,
    priority: 2,
  },
  {
    name: 'parts',
    // The table of options is large, and many as its readers are, all belong to the settings; what asks before typed work
    // is lost comes with what it is typed into.
    test: /console.(?:api|components(?!.use-asked)|session|theme)|daemon.contract.(?!option)|@tabler/,
    minShareCount: 10,
    priority: 1,
  },
];

/**
 * Writes `.pages.json`: `[{ path, module, files, texts: { zh, en } }]`, for each page of `pages.tsx` the files that it loads
 * beside those of the document, and those of its texts. The daemon announces them with the document.
 */
export const pageFiles = {
  name: 'page-files',
  apply: 'build',
  generateBundle: {
    order: 'post',
    handler(_options, bundle) {
      const chunks = Object.values(bundle).filter(({ type }) => type === 'chunk');
      const chunkOf = (id) => chunks.find(({ facadeModuleId }) => facadeModuleId === id);
      const first = filesOf(
        bundle,
        chunks.find(({ isEntry }) => isEntry),
      );
      const ids = [...this.getModuleIds()];
      const catalogues = ids.flatMap((id) => {
        const [, language, name] = /\/console\/i18n\/catalogues\/(\w+)\/([\w-]+)\.ts$/.exec(id) ?? [];
        return name && name !== 'frame' ? [{ id, language, name }] : [];
      });
      const table = this.getModuleInfo(ids.find((id) => id.endsWith('/console/pages.tsx')));
      const pages = tableRows(this.parse(table.code)).flatMap(({ path, module }) => {
        const id = ids.find((each) => each.endsWith(`/console/pages/${module}.tsx`));
        if (id === undefined) return [];
        const named = namespacesOf(this, id, new Set(catalogues.map(({ name }) => name)));
        const textsIn = (language) =>
          catalogues
            .filter((each) => each.language === language && named.has(each.name))
            .flatMap((each) => [...filesOf(bundle, chunkOf(each.id))]);
        const files = [...filesOf(bundle, chunkOf(id))].filter((file) => !first.has(file));
        return [{ path, module, files, texts: { zh: textsIn('zh'), en: textsIn('en') } }];
      });
      this.emitFile({ type: 'asset', fileName: '.pages.json', source: JSON.stringify(pages) });
    },
  },
};

/** A chunk, its style sheets, and those of everything it imports. */
function filesOf(bundle, chunk, found = new Set()) {
  if (!chunk || found.has(chunk.fileName)) return found;
  found.add(chunk.fileName);
  for (const style of chunk.viteMetadata?.importedCss ?? []) found.add(style);
  for (const name of chunk.imports) filesOf(bundle, bundle[name], found);
  return found;
}

/** Objects of a syntax tree that have a written `path` and a written `module`. */
function tableRows(node) {
  if (typeof node !== 'object' || node === null) return [];
  if (node.type === 'ObjectExpression') {
    const member = (name) => node.properties.find(({ key }) => key?.name === name)?.value?.value;
    const [path, module] = [member('path'), member('module')];
    if (typeof path === 'string' && typeof module === 'string') return [{ path, module }];
  }
  return Object.values(node).flatMap(tableRows);
}

/** Names of the catalogues that a page and what it imports ask for. */
function namespacesOf(context, page, known) {
  const named = new Set();
  const seen = new Set();
  const visit = (id) => {
    if (seen.has(id) || !id.includes('/console/')) return;
    seen.add(id);
    const { code, importedIds } = context.getModuleInfo(id) ?? {};
    const asked = [...(code?.matchAll(/useTranslation\(([^)]*)\)/g) ?? [])].flatMap(
      ([, names]) => names.match(/[\w-]+/g) ?? [],
    );
    const prefixes = [...(code?.matchAll(/["'`]([\w-]+):\w/g) ?? [])].map(([, name]) => name);
    for (const name of [...asked, ...prefixes]) if (known.has(name)) named.add(name);
    for (const next of importedIds ?? []) visit(next);
  };
  visit(page);
  return named;
}
