/**
 * A part of a page whose code comes when it is first wanted: a drawer, a section, a chart. Where it does not come, the
 * part alone says so and offers another try; the page around it stays, with all that was typed into it.
 *
 *     const Editor = lazyPart(() => import('./editor.tsx').then((module) => ({ default: module.Editor })));
 *
 * What has a stand-in that serves until the network is back (`Suspense` with a plain field) is a `lazyLate` instead.
 */
import { Button } from '@mantine/core';
import {
  type ComponentType,
  createElement,
  lazy,
  type ReactNode,
  Suspense,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
} from 'react';
import { createPortal } from 'react-dom';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/UnstyledButton.css';
import { loadPart } from '../session/late-code.ts';
import { Store, useStore } from '../session/store.ts';
import classes from '../shell/panels.module.css';
import { useDelayed } from './use-delayed.ts';

/** How long the code of what was opened may take before that is told. */
const patienceMs = 400;

type PropsOf<Body extends (props: never) => ReactNode> = Body extends () => ReactNode ? object : Parameters<Body>[0];

export function lazyPart<Body extends (props: never) => ReactNode>(
  load: () => Promise<{ readonly default: Body }>,
): (props: PropsOf<Body>) => ReactNode;
export function lazyPart(load: () => Promise<{ readonly default: ComponentType<object> }>): ComponentType<object> {
  let isMissing = false;
  const Missing = (props: object) => <MissingPart onClose={closeOf(props)} onRetry={tryAnew} />;
  const attempt = () =>
    lazy(() =>
      loadPart(load).catch(() => {
        isMissing = true;
        return { default: Missing };
      }),
    );
  // React keeps what a lazy part came to, also where it did not come.
  const shown = new Store<ComponentType<object>>(attempt());
  const tryAnew = () => {
    isMissing = false;
    shown.set(attempt());
  };
  return function LatePart(props) {
    // What was closed is asked for again when it is opened again.
    useEffect(() => () => (isMissing ? tryAnew() : undefined), []);
    const part = createElement(useStore(shown), props);
    const close = closeOf(props);
    return close ? <Suspense fallback={<ComingPart onClose={close} />}>{part}</Suspense> : part;
  };
}

/** What can be closed lies over the page. */
function closeOf(props: object): (() => void) | undefined {
  const { onClose } = props as { readonly onClose?: unknown };
  return typeof onClose === 'function' ? () => onClose() : undefined;
}

interface MissingPartProps {
  readonly onRetry: () => void;
  /** Absent: it stands in the page. */
  readonly onClose?: (() => void) | undefined;
}

/** In place of a part whose code did not come. */
export function MissingPart({ onRetry, onClose }: MissingPartProps) {
  const { t } = useTranslation('frame');
  const text = t('error.part');
  const retry = (
    <Button variant="default" size="xs" onClick={onRetry}>
      {t('action.retry')}
    </Button>
  );
  if (!onClose) {
    return (
      <div className={classes.acts} role="alert">
        <p className={classes.text}>{text}</p>
        {retry}
      </div>
    );
  }
  const dialog = (
    <PlainDialog onClose={onClose} text={text}>
      {retry}
    </PlainDialog>
  );
  return createPortal(dialog, document.body);
}

/** On a slow line: that a press was heard, and a way back. What stands in the page keeps its room by itself. */
function ComingPart({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation('frame');
  if (!useDelayed(true, patienceMs)) return null;
  return createPortal(<PlainDialog onClose={onClose} text={t('state.loading')} />, document.body);
}

interface PlainDialogProps {
  readonly onClose: () => void;
  readonly text: string;
  readonly children?: ReactNode;
}

/** The browser's own: the code of ours may be what is missing. */
function PlainDialog({ onClose, text, children }: PlainDialogProps) {
  const { t } = useTranslation('frame');
  const id = useId();
  const place = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    const dialog = place.current;
    dialog?.showModal();
    // While it is still there, so that the focus goes back to where it was.
    return () => dialog?.close();
  }, []);
  return (
    <dialog ref={place} className={classes.late} aria-modal="true" aria-labelledby={id} onCancel={onClose}>
      <p id={id} className={classes.text}>
        {text}
      </p>
      <div className={classes.acts}>
        <Button variant="default" size="xs" onClick={onClose}>
          {t('action.close')}
        </Button>
        {children}
      </div>
    </dialog>
  );
}
