/** The Markdown of an answer, block by block: while it grows only the last block is drawn anew. Loaded when needed. */
import { useReducedMotion } from '@mantine/hooks';
import { memo, useMemo } from 'react';
import { UntrustedText } from '../../components/rich-untrusted.tsx';
import { markdownBlocks } from './markdown-blocks.ts';
import classes from './message.module.css';

const Block = memo(function Block({ text }: { readonly text: string }) {
  return <UntrustedText text={text} />;
});

export function AnswerText({ text, isGrowing }: { readonly text: string; readonly isGrowing: boolean }) {
  const isStill = useReducedMotion();
  const blocks = useMemo(() => markdownBlocks(text), [text]);
  // For those who want no motion, whole paragraphs appear instead of words.
  const shown = isGrowing && isStill && blocks.length > 1 ? blocks.slice(0, -1) : blocks;
  return (
    <div className={classes.text}>
      {shown.map((block, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: blocks are only ever added
        <Block key={index} text={block} />
      ))}
    </div>
  );
}
