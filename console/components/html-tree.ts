/** The tree that Markdown is turned into before it becomes elements of the page: as much of it as we look at. */

export interface HtmlNode {
  type: string;
  tagName?: string;
  properties?: Record<string, unknown>;
  children?: HtmlNode[];
  value?: string;
}

/** Plug-in: HTML in Markdown is shown as the text it is. */
export function htmlAsText() {
  return (tree: HtmlNode): void => turnToText(tree);
}

function turnToText(node: HtmlNode): void {
  if (node.type === 'raw') node.type = 'text';
  for (const child of node.children ?? []) turnToText(child);
}

/** The text inside a node. */
export function textOf(node: HtmlNode | undefined): string {
  if (!node) return '';
  return node.type === 'text' ? (node.value ?? '') : (node.children ?? []).map(textOf).join('');
}

const empty = new Set(['br', 'hr', 'img', 'input', 'wbr', 'col']);
const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (text: string): string => text.replaceAll(/[&<>"]/g, (character) => escapes[character] ?? '');

/** The tree as HTML, with raw parts as they were written; not safe before it was sanitised. */
export function htmlOf(node: HtmlNode): string {
  if (node.type === 'text') return escaped(node.value ?? '');
  if (node.type === 'raw') return node.value ?? '';
  const inner = (node.children ?? []).map(htmlOf).join('');
  if (node.type === 'root') return inner;
  if (node.type !== 'element' || node.tagName === undefined) return '';
  const attributes = Object.entries(node.properties ?? {}).map(([name, value]) => attribute(name, value));
  return `<${node.tagName}${attributes.join('')}>${empty.has(node.tagName) ? '' : `${inner}</${node.tagName}>`}`;
}

function attribute(name: string, value: unknown): string {
  if (value === false || value === undefined || value === null) return '';
  const text = value === true ? '' : Array.isArray(value) ? value.join(' ') : String(value);
  return ` ${name}="${escaped(text)}"`;
}

/** Attributes that say yes by being there. */
const switches = new Set(['open', 'reversed']);

/** What the browser read, as such a tree. */
export function treeOf(parent: Node): HtmlNode[] {
  return [...parent.childNodes].flatMap((child): HtmlNode[] => {
    if (child instanceof Text) return [{ type: 'text', value: child.data }];
    if (!(child instanceof Element)) return [];
    const properties = Object.fromEntries(
      [...child.attributes].map(({ name, value }) => [name, switches.has(name) || value]),
    );
    return [{ type: 'element', tagName: child.localName, properties, children: treeOf(child) }];
  });
}
