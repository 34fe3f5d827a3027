import { IconPhoto, IconTextWrap } from '@tabler/icons-react';
import { type ReactNode, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import Markdown, { type Components } from 'react-markdown';
import rehypeSanitize, { defaultSchema } from 'rehype-sanitize';
import remarkGfm from 'remark-gfm';
import { CopyButton } from './copy.tsx';
import { type HtmlNode, htmlAsText, textOf } from './html-tree.ts';
import { outsideAddress } from './rich-address.ts';
import classes from './rich-text.module.css';
import { ScrollingTable } from './scrolling-table.tsx';
import { codeMark, withImagesCut } from './written-images.ts';

const schema = { ...defaultSchema, protocols: { href: ['http', 'https', 'mailto'], src: ['http', 'https'] } };

const components: Components = {
  a: ({ href, children, node }) => (
    <OutsideLink href={href} text={textOf(node)}>
      {children}
    </OutsideLink>
  ),
  // Another image in its place was not asked for.
  img: ({ src, alt }) => <AskedImage key={src} src={typeof src === 'string' ? src : undefined} alt={alt ?? ''} />,
  pre: ({ children, node }) => (
    <CodeBlock code={textOf(node)} language={languageOf(node)}>
      {children}
    </CodeBlock>
  ),
  table: ({ children }) => <ScrollingTable>{children}</ScrollingTable>,
  h1: ({ children }) => <h2>{children}</h2>,
};

/** Markdown of anybody: no HTML, no addresses of this site, images only at a click but for those that stand in it. */
export function UntrustedText({ text }: { text: string }) {
  const pieces = useMemo(() => withImagesCut(text), [text]);
  return (
    <div className={classes.text}>
      {pieces.map((piece, index) =>
        typeof piece === 'string' ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: a growing text only gets more of them
          <UntrustedMarkdown key={index} text={piece} />
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: likewise
          <img key={index} src={piece.src} alt={piece.alt} />
        ),
      )}
    </div>
  );
}

function UntrustedMarkdown({ text }: { text: string }) {
  const { t } = useTranslation('components');
  if (isUnending(text)) return <p>{text}</p>;
  return (
    <Markdown
      remarkPlugins={[remarkGfm]}
      rehypePlugins={[htmlAsText, [rehypeSanitize, schema]]}
      remarkRehypeOptions={{
        footnoteLabel: t('rich.footnotes'),
        footnoteLabelProperties: {},
        footnoteBackContent: '',
      }}
      urlTransform={outsideAddress}
      components={components}
    >
      {text}
    </Markdown>
  );
}

/** In letters. What takes the reader of Markdown a second at this length takes it minutes at twenty times as many. */
const longestLine = 10_000;

/** No line that anybody wrote: shown as it is. */
function isUnending(text: string): boolean {
  if (text.length <= longestLine || codeMark.test(text)) return false;
  return text.split('\n').some(({ length }) => length > longestLine);
}

/** Whether a text is an address of the host from its first letter on: what stands further behind is a path, or a trick. */
function isAddressAt(host: string, text: string): boolean {
  const address = text.replace(/^https?:\/\//i, '').toLowerCase();
  return address.startsWith(host) && /^(?:[/?#]|$)/.test(address.slice(host.length));
}

/** Tells where it leads, since its text may say anything. */
function OutsideLink({ href, text, children }: { href: string | undefined; text: string; children: ReactNode }) {
  if (!href) return <span>{children}</span>;
  const { host, protocol } = new URL(href);
  return (
    <>
      <a href={href} target="_blank" rel="noopener noreferrer nofollow" title={href}>
        {children}
      </a>
      {protocol !== 'mailto:' && !isAddressAt(host, text) && <span className={classes.host}> ({host})</span>}
    </>
  );
}

/** An image is fetched from its host only when it is asked for: the fetch alone would tell who reads this. */
function AskedImage({ src, alt }: { src: string | undefined; alt: string }) {
  const { t } = useTranslation('components');
  const [isShown, setShown] = useState(false);
  if (!src) return <span>{alt}</span>;
  if (isShown) return <img src={src} alt={alt} referrerPolicy="no-referrer" />;
  return (
    <button type="button" className={classes.image} title={src} onClick={() => setShown(true)}>
      <IconPhoto size={16} stroke={1.75} />
      {t('rich.showImage', { host: new URL(src).host, alt })}
    </button>
  );
}

function CodeBlock({ code, language, children }: { code: string; language: string; children: ReactNode }) {
  const { t } = useTranslation('components');
  const [isWrapped, setWrapped] = useState(false);
  return (
    <div className={classes.code}>
      <div className={classes.codeBar}>
        <span className={classes.language}>{language}</span>
        <button
          type="button"
          className={classes.wrap}
          aria-pressed={isWrapped}
          aria-label={t('rich.wrap')}
          title={t('rich.wrap')}
          onClick={() => setWrapped(!isWrapped)}
        >
          <IconTextWrap size={16} stroke={1.75} />
        </button>
        <CopyButton value={code.replace(/\n$/, '')} label={t('rich.code')} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, also by the keyboard */}
      <pre tabIndex={0} data-wrapped={isWrapped || undefined}>
        {children}
      </pre>
    </div>
  );
}

/** The name behind the fence; "" for none. */
function languageOf(node: HtmlNode | undefined): string {
  const { className } = node?.children?.[0]?.properties ?? {};
  const names = Array.isArray(className) ? className.map(String) : [];
  return names.find((name) => name.startsWith('language-'))?.slice('language-'.length) ?? '';
}
