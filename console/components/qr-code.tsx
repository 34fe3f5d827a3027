/** A QR code as SVG (console.md 7.14), on a light ground in both themes, with its text to copy. */
import { useMemo } from 'react';
import { encode } from 'uqr';
import { CopyText } from './copy.tsx';
import classes from './qr-code.module.css';

export interface QrCodeProps {
  readonly text: string;
  /** What it is for. */
  readonly label: string;
  /** The text is not written below: it is secret, or stands elsewhere on the page. */
  readonly isTextHidden?: boolean;
}

const sidePx = 200;

/** Modules of light around the code that readers need. */
const quietZone = 4;

export function QrCode({ text, label, isTextHidden = false }: QrCodeProps) {
  const { modules, path } = useMemo(() => {
    const { data, size: side } = encode(text, { border: quietZone, ecc: 'M' });
    const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
    return { modules: side, path: dark.join('') };
  }, [text]);
  return (
    <figure className={classes.figure}>
      <svg
        role="img"
        aria-label={label}
        width={sidePx}
        height={sidePx}
        viewBox={`0 0 ${modules} ${modules}`}
        shapeRendering="crispEdges"
        className={classes.code}
      >
        <path d={path} />
      </svg>
      {!isTextHidden && (
        <figcaption>
          <CopyText value={text} />
        </figcaption>
      )}
    </figure>
  );
}
