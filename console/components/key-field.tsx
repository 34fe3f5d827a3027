/**
 * A secret that is shown only when asked for (console.md 7.7): masked it is not in the document at all; revealed it
 * hides again after 30 seconds or when the focus leaves.
 */
import { Loader } from '@mantine/core';
import { useFocusWithin } from '@mantine/hooks';
import { IconEye, IconEyeOff } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Loader.css';
import { showFailure } from '../api/failures.ts';
import { CopyButton } from './copy.tsx';
import { maskedSecret } from './copy-text.ts';
import classes from './key-field.module.css';

const revealedMs = 30_000;

export interface KeyFieldProps {
  /** What the secret is; read out with it. */
  readonly label: string;
  /** The secret, where the page has it. */
  readonly value?: string;
  /** Fetches the secret when it is to be shown or copied; needed where there is no `value`. */
  readonly reveal?: () => Promise<string>;
  /** The label is written above the field; inside tables it is only read out. */
  readonly hasVisibleLabel?: boolean;
}

export function KeyField({ label, value, reveal, hasVisibleLabel = false }: KeyFieldProps) {
  const { t } = useTranslation(['components', 'frame']);
  const [shown, setShown] = useState<string>();
  const [isFetching, setFetching] = useState(false);
  const isLeft = useRef(false);
  const { ref } = useFocusWithin<HTMLSpanElement>({
    onBlur: () => {
      isLeft.current = true;
      setShown(undefined);
    },
  });

  useEffect(() => {
    if (shown === undefined) return undefined;
    const hide = () => setShown(undefined);
    const timer = setTimeout(hide, revealedMs);
    window.addEventListener('blur', hide);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('blur', hide);
    };
  }, [shown]);

  const secret = async (): Promise<string> => value ?? (await reveal?.()) ?? '';
  const toggle = async () => {
    if (shown !== undefined) return setShown(undefined);
    if (isFetching) return undefined;
    setFetching(true);
    isLeft.current = false;
    try {
      const fetched = await secret();
      // The focus may have gone on to something else meanwhile; then nobody is looking any more.
      if (!isLeft.current) setShown(fetched);
    } catch (error) {
      showFailure(error);
    } finally {
      setFetching(false);
    }
  };
  const isShown = shown !== undefined;
  const name = isShown ? t('key.hide', { label }) : t('key.show', { label });
  return (
    <span className={hasVisibleLabel ? classes.block : undefined}>
      {hasVisibleLabel && <span className={classes.label}>{label}</span>}
      <span ref={ref} className={classes.field} data-framed={hasVisibleLabel || undefined}>
        <code className={classes.secret} data-1p-ignore>
          {shown ?? (value === undefined ? '••••••••' : maskedSecret(value))}
        </code>
        <button
          type="button"
          className={classes.button}
          aria-label={name}
          aria-pressed={isShown}
          title={isShown ? t('frame:action.hide') : t('frame:action.show')}
          aria-busy={isFetching}
          onClick={toggle}
        >
          {isFetching ? (
            <Loader size={14} />
          ) : isShown ? (
            <IconEyeOff size={16} stroke={1.75} />
          ) : (
            <IconEye size={16} stroke={1.75} />
          )}
        </button>
        <CopyButton value={secret} name={t('key.copy', { label })} isSecret />
      </span>
    </span>
  );
}
