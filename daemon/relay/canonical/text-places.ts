/**
 * Where citations stand. In a canonical answer their places count UTF-16 units from the beginning of all its text; on
 * some wires, from the beginning of a part of it.
 */
import type { Annotation, OutputItem, TextPart } from './chat.ts';

/** The annotation with its place so many units further on. */
export function moved(annotation: Annotation, units: number): Annotation {
  if (annotation.kind !== 'url' || units === 0) return annotation;
  const { start, end } = annotation;
  return {
    ...annotation,
    ...(start === undefined ? {} : { start: Math.max(0, start + units) }),
    ...(end === undefined ? {} : { end: Math.max(0, end + units) }),
  };
}

/** The items with every annotation as `place` puts it, which is told where its part begins in the whole text. */
export function withAnnotations(
  items: readonly OutputItem[],
  place: (annotation: Annotation, start: number, part: TextPart) => Annotation,
): OutputItem[] {
  let told = 0;
  return items.map((item) => {
    if (item.type !== 'assistant') return item;
    const parts = item.parts.map((part) => {
      if (part.type !== 'text') return part;
      const start = told;
      told += part.text.length;
      const { annotations } = part;
      if (annotations === undefined) return part;
      return { ...part, annotations: annotations.map((annotation) => place(annotation, start, part)) };
    });
    return { ...item, parts };
  });
}
