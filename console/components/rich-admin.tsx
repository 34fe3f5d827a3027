import { useMemo } from 'react';
import Markdown from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { sanitisedHtml } from './admin-html.ts';
import { type HtmlNode, htmlOf, treeOf } from './html-tree.ts';
import classes from './rich-text.module.css';
import { ScrollingTable } from './scrolling-table.tsx';

/** The boxes of a task list are fields, which no text of administrators may hold: they become letters. */
function boxesAsText(node: HtmlNode): void {
  if (node.tagName === 'input') Object.assign(node, { type: 'text', value: node.properties?.checked ? '☑' : '☐' });
  for (const child of node.children ?? []) boxesAsText(child);
}

/** Plug-in: the whole is read as the HTML it is, so that a tag may begin in one paragraph and end in another. */
function sanitised() {
  return (tree: HtmlNode): void => {
    boxesAsText(tree);
    tree.children = treeOf(sanitisedHtml(htmlOf(tree)));
  };
}

/** Markdown and HTML of administrators. */
export function AdminText({ text }: { text: string }) {
  const content = useMemo(
    () => (
      <Markdown
        remarkPlugins={[remarkGfm]}
        rehypePlugins={[sanitised]}
        // Addresses were looked at with the rest.
        urlTransform={(address) => address}
        components={{ h1: 'h2', table: ({ node, ...table }) => <ScrollingTable {...table} /> }}
      >
        {text}
      </Markdown>
    ),
    [text],
  );
  return <div className={classes.text}>{content}</div>;
}
