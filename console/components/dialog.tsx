/** Our dialog: the kit's modal with a footer for its buttons; a sheet from below on phones (console.md 7.18). */
import { Modal } from '@mantine/core';
import { type ReactNode, useId } from 'react';
import { useTranslation } from 'react-i18next';
import '@mantine/core/styles/CloseButton.css';
import '@mantine/core/styles/Modal.css';
import '@mantine/core/styles/ModalBase.css';
import '@mantine/core/styles/Overlay.css';
import '@mantine/core/styles/Paper.css';
import '@mantine/core/styles/UnstyledButton.css';
import classes from './dialog.module.css';
import { useEscape } from './use-escape.ts';
import { keepFocus, useFocusBack } from './use-focus-back.ts';
import { useUnsavedWork } from './use-unsaved-work.ts';

export interface DialogProps {
  readonly opened: boolean;
  readonly onClose: () => void;
  readonly title: string;
  /** Pixels; 520 when absent. */
  readonly size?: number;
  /** Buttons, the main one last. */
  readonly footer?: ReactNode;
  readonly children?: ReactNode;
  /** Nothing closes it before the answer: a late one would close what was opened since, and a refusal reach nobody. */
  readonly isSending?: boolean;
  /** Only the buttons close it: what it shows is not shown again. */
  readonly isClosedByButtonsOnly?: boolean;
  /** It grows with what is entered: its buttons stay in sight. */
  readonly isLong?: boolean;
}

const stay = async () => false;

export function Dialog(props: DialogProps) {
  const { opened, title, size = 520, footer, children, isSending = false } = props;
  const { isClosedByButtonsOnly = false, isLong = false } = props;
  const { t } = useTranslation('frame');
  const id = useId();
  const onClose = () => {
    if (!isSending) props.onClose();
  };
  useFocusBack();
  // The browser's Back would close it as well; a reload is asked about.
  useUnsavedWork(isClosedByButtonsOnly, stay, 'entry');
  useEscape(`${id}-title`, isClosedByButtonsOnly ? undefined : onClose);
  return (
    <Modal
      id={id}
      opened={opened}
      onClose={onClose}
      onMouseDown={keepFocus}
      title={title}
      size={size}
      classNames={{
        inner: classes.inner ?? '',
        content: classes.content ?? '',
        header: classes.header ?? '',
        title: classes.title ?? '',
        body: classes.body ?? '',
      }}
      closeButtonProps={{ 'aria-label': t('action.close') }}
      withCloseButton={!isClosedByButtonsOnly}
      closeOnClickOutside={!isClosedByButtonsOnly}
      closeOnEscape={false}
    >
      {children}
      {footer !== undefined && (
        <div className={classes.footer} data-kept={isLong || undefined}>
          {footer}
        </div>
      )}
    </Modal>
  );
}
