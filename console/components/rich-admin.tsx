import { useMemo } from 'react';
import Markdown from 'react-markdown';
import remarkGfm from 'remark-gfm';
import { sanitisedHtml } from './admin-html.ts';
import { type HtmlNode, htmlOf, treeOf } from './html-tree.ts';
import classes from './rich-text.module.css';

/** Plug-in: the whole is read as the HTML it is, so that a tag may begin in one paragraph and end in another. */
function sanitised() {
  return (tree: HtmlNode): void => {
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
        components={{ h1: 'h2' }}
      >
        {text}
      </Markdown>
    ),
    [text],
  );
  return <div className={classes.text}>{content}</div>;
}
