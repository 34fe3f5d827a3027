/** What draws the toasts. Loaded by `toast.ts` when there is one. */
import { Notifications, notifications } from '@mantine/notifications';
import { IconAlertCircle, IconCheck, IconInfoCircle } from '@tabler/icons-react';
import i18next from 'i18next';
import '@mantine/core/styles/CloseButton.css';
import '@mantine/core/styles/Loader.css';
import '@mantine/core/styles/Notification.css';
import '@mantine/core/styles/Paper.css';
import '@mantine/core/styles/UnstyledButton.css';
import '@mantine/notifications/styles.css';
import { randomId } from './random-id.ts';
import type { Toast } from './toast.ts';
import classes from './toast-board.module.css';
import { ToastBody } from './toast-body.tsx';

const shownMs = { success: 3000, info: 4000, error: 8000 } as const;
const undoMs = 8000;
const mergeMs = 2000;

const looks = {
  success: { color: 'green', icon: <IconCheck size={16} stroke={1.75} /> },
  error: { color: 'red', icon: <IconAlertCircle size={16} stroke={1.75} /> },
  info: { color: 'blue', icon: <IconInfoCircle size={16} stroke={1.75} /> },
} as const;

interface Shown {
  readonly id: string;
  readonly at: number;
  readonly count: number;
}

/** The last toast of each kind and text, so that the same one shortly after only counts up. */
const recent = new Map<string, Shown>();

/** Shows a toast, or counts up the one that says the same since less than two seconds. */
export async function post(toast: Toast): Promise<void> {
  await i18next.loadNamespaces('components');
  const key = `${toast.kind} ${toast.text}`;
  const known = recent.get(key);
  const now = Date.now();
  const isRepeated = known !== undefined && now - known.at < mergeMs && toast.undo === undefined;
  const count = isRepeated ? known.count + 1 : 1;
  const id = isRepeated ? known.id : randomId();
  recent.set(key, { id, at: now, count });
  const { color, icon } = looks[toast.kind];
  const content = {
    id,
    color,
    icon,
    message: <ToastBody toast={toast} count={count} onClose={() => notifications.hide(id)} />,
    autoClose: toast.isLasting ? false : toast.undo ? undoMs : shownMs[toast.kind],
    closeButtonProps: { 'aria-label': i18next.t('action.close') },
    // Errors interrupt, the rest waits for a pause in what is being read out.
    role: toast.kind === 'error' ? 'alert' : 'status',
    onClose: () => {
      if (recent.get(key)?.id === id) recent.delete(key);
    },
  };
  if (isRepeated) notifications.update(content);
  else notifications.show(content);
}

/** Takes away all that is shown or waits for room. */
export function clear(): void {
  recent.clear();
  notifications.clean();
}

export function ToastBoard() {
  return (
    <Notifications
      position="top-center"
      limit={3}
      zIndex={400}
      containerWidth={460}
      classNames={{ root: classes.board ?? '', notification: classes.toast ?? '' }}
    />
  );
}
