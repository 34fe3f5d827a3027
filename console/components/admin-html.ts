/** HTML of administrators without what acts, covers the page, or calls elsewhere unasked (console.md 8). */
import createPurifier from 'dompurify';
import { cleanStyle } from './clean-style.ts';

const tags = [
  ...['p', 'br', 'hr', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'div', 'span', 'blockquote', 'pre', 'code', 'kbd', 'center'],
  ...['strong', 'b', 'em', 'i', 'u', 's', 'del', 'ins', 'mark', 'small', 'sub', 'sup', 'abbr', 'wbr'],
  ...['ul', 'ol', 'li', 'dl', 'dt', 'dd', 'details', 'summary', 'figure', 'figcaption', 'a', 'img'],
  ...['table', 'caption', 'colgroup', 'col', 'thead', 'tbody', 'tfoot', 'tr', 'td', 'th'],
];
const attributes = [
  ...['href', 'src', 'alt', 'title', 'width', 'height', 'align', 'valign', 'dir', 'lang'],
  ...['colspan', 'rowspan', 'scope', 'start', 'reversed', 'open', 'style', 'target', 'rel'],
];

const linkAddress = /^(?:https?:|mailto:|tel:|\/(?![/\\])|#|[\w.~-]+(?:[/?#]|$))/i;
const imageAddress = /^(?:https:|\/(?![/\\])|data:image\/(?:png|jpeg|gif|webp|avif);base64,|[\w.~-]+(?:[/?#]|$))/i;

const purifier = createPurifier(window);

purifier.addHook('uponSanitizeAttribute', (_node, attribute) => {
  // Browsers leave these out when they read an address.
  const value = attribute.attrValue.replaceAll(/[\t\n\r]/g, '').trim();
  if (attribute.attrName === 'style') {
    attribute.attrValue = cleanStyle(attribute.attrValue);
    attribute.keepAttr = attribute.attrValue !== '';
  }
  // A name before the host is there to be mistaken for it.
  if (attribute.attrName === 'href')
    attribute.keepAttr = linkAddress.test(value) && !/^https?:[/\\]*[^/\\?#]*@/i.test(value);
  if (attribute.attrName === 'src') attribute.keepAttr = imageAddress.test(value);
});

purifier.addHook('afterSanitizeAttributes', (node) => {
  if (!(node instanceof Element)) return;
  if (node.localName === 'a') {
    node.setAttribute('rel', 'noopener');
    const isOutside = /^https?:/i.test(node.getAttribute('href') ?? '');
    if (isOutside) node.setAttribute('target', '_blank');
    else node.removeAttribute('target');
  }
  if (node.localName === 'img' && !node.hasAttribute('alt')) node.setAttribute('alt', '');
});

/** What is left of it, as nodes that are in no document yet. */
export function sanitisedHtml(html: string): DocumentFragment {
  return purifier.sanitize(html, {
    ALLOWED_TAGS: tags,
    ALLOWED_ATTR: attributes,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  });
}
