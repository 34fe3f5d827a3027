/** A form beside its list (console.md 7.3): a drawer with a title, a scrolling body and its buttons at the bottom. */
import { Alert, Button, Drawer, Skeleton } from '@mantine/core';
import { IconAlertCircle } from '@tabler/icons-react';
import { type KeyboardEvent, type ReactNode, type SyntheticEvent, useEffect, useRef } from 'react';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/Alert.css';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/CloseButton.css';
import '@mantine/core/styles/Drawer.css';
import '@mantine/core/styles/Loader.css';
import '@mantine/core/styles/ModalBase.css';
import '@mantine/core/styles/Overlay.css';
import '@mantine/core/styles/Paper.css';
import '@mantine/core/styles/Skeleton.css';
import '@mantine/core/styles/UnstyledButton.css';
import { CopyText } from './copy.tsx';
import classes from './form-drawer.module.css';
import { isFocusLost } from './kept-focus.ts';
import { UnsentContext, useUnsentParts } from './unsent-parts.ts';
import { useDiscardQuestion } from './use-asked-close.ts';
import type { FormFailure } from './use-contract-form.ts';
import { keepFocus, useFocusBack } from './use-focus-back.ts';
import { useUnsavedWork } from './use-unsaved-work.ts';

export interface FormDrawerProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly title: string;
  readonly width?: 720 | 960 | 1200;
  /** Closing asks first. */
  readonly isDirty: boolean;
  readonly onSubmit: (event?: SyntheticEvent) => void;
  readonly isSaving: boolean;
  readonly submitLabel: string;
  /** `form.failure`, or a text. */
  readonly error?: FormFailure | string | undefined;
  readonly children: ReactNode;
  /** Left in the footer: a menu, a link, a line on the sum. */
  readonly footerExtra?: ReactNode;
  /** Skeleton fields instead of the children. */
  readonly isLoading?: boolean;
  /** Only to be read: there is nothing to submit. */
  readonly isReadOnly?: boolean;
}

const skeletons = [0, 1, 2, 3, 4, 5];

export function FormDrawer(props: FormDrawerProps) {
  const { opened, onClose, title, width = 720, isDirty, onSubmit, isSaving, submitLabel, error, children } = props;
  const { footerExtra, isLoading = false, isReadOnly = false } = props;
  const { t } = useTranslation(['components', 'frame']);
  useFocusBack();
  const mayLose = useDiscardQuestion();
  const unsent = useUnsentParts();
  const isLost = opened && (isDirty || unsent.isUnsent) && !isReadOnly;
  useUnsavedWork(isLost, mayLose);
  const close = async () => {
    if (isSaving || (isLost && !(await mayLose()))) return;
    onClose();
  };
  const form = useRef<HTMLFormElement>(null);
  // What had the focus may be gone, as a row that was deleted is: its keys come past the drawer.
  useEffect(() => {
    const onLostKey = ({ key, defaultPrevented }: globalThis.KeyboardEvent) => {
      if (key !== 'Escape' || defaultPrevented || !isFocusLost()) return;
      const top = [...document.querySelectorAll('[role=dialog]')].at(-1);
      if (top?.contains(form.current)) void close();
    };
    document.addEventListener('keydown', onLostKey);
    return () => document.removeEventListener('keydown', onLostKey);
  });
  const submit = (event?: SyntheticEvent) => {
    if (unsent.parts.check()) return onSubmit(event);
    event?.preventDefault();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    // What lies over the drawer belongs to it for React only.
    if (!(event.target instanceof Element) || !event.currentTarget.contains(event.target)) return;
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && !isReadOnly && !isLoading) {
      event.preventDefault();
      submit();
    }
    const isTaken =
      event.defaultPrevented ||
      event.nativeEvent.isComposing ||
      event.target.getAttribute('data-mantine-stop-propagation') === 'true';
    if (event.key === 'Escape' && !isTaken) void close();
  };
  return (
    <UnsentContext value={unsent.parts}>
      <Drawer
        opened={opened}
        onClose={close}
        title={title}
        size={width}
        // Decided above: the kit's own would close the drawer under a dialog that Esc was meant for.
        closeOnEscape={false}
        closeButtonProps={{ 'aria-label': t('frame:action.close') }}
        classNames={{
          content: classes.content ?? '',
          header: classes.header ?? '',
          title: classes.title ?? '',
          body: classes.body ?? '',
        }}
        onKeyDown={onKeyDown}
        onMouseDown={keepFocus}
      >
        <form ref={form} className={classes.form} onSubmit={submit} noValidate>
          <div className={classes.scroll}>
            <div className={classes.fields}>
              {error !== undefined && <Refusal error={error} />}
              {unsent.button !== undefined && (
                <Refusal key={unsent.tries} error={t('form.unsent', { button: unsent.button })} />
              )}
              {isLoading
                ? skeletons.map((index) => (
                    <div key={index} className={classes.skeleton}>
                      <Skeleton height={14} width={120} />
                      <Skeleton height={36} />
                    </div>
                  ))
                : children}
            </div>
          </div>
          <div className={classes.footer}>
            <div className={classes.extra}>{footerExtra}</div>
            <Button variant="default" onClick={close} disabled={isSaving}>
              {isReadOnly ? t('frame:action.close') : t('frame:action.cancel')}
            </Button>
            {!isReadOnly && (
              <Button type="submit" loading={isSaving} disabled={isLoading} title={t('form.submitKeys')}>
                {submitLabel}
              </Button>
            )}
          </div>
        </form>
      </Drawer>
    </UnsentContext>
  );
}

function Refusal({ error }: { error: FormFailure | string }) {
  const { t } = useTranslation(['components', 'frame']);
  const { text, requestId } = typeof error === 'string' ? { text: error, requestId: undefined } : error;
  const place = useRef<HTMLDivElement>(null);
  // Who submits a long form stands at its end, and would see that nothing happens.
  // Newer browsers answer a scroll with a promise, which an effect must not return as its cleanup.
  useEffect(() => void place.current?.scrollIntoView({ block: 'nearest' }), []);
  return (
    <Alert ref={place} color="red" icon={<IconAlertCircle size={16} stroke={1.75} />} role="alert">
      {text}
      {requestId !== undefined && (
        <div>
          <CopyText value={requestId} label={t('toast.requestId')} />
        </div>
      )}
    </Alert>
  );
}
