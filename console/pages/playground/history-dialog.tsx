/** Earlier conversations: open, delete, save to a file and read from one. They never leave this browser by themselves. */
import { ActionIcon, Button } from '@mantine/core';
import '@mantine/core/styles/ActionIcon.css';
import '@mantine/core/styles/Button.css';
import { IconTrash } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { confirm } from '../../components/confirm.tsx';
import { downloadFile } from '../../components/csv-download.ts';
import { formatTime } from '../../components/format.ts';
import { Dialog, EmptyState } from '../../components/section.tsx';
import { toast } from '../../components/toast.ts';
import { isStorageFull, mostConversations } from './conversation-history.ts';
import classes from './history-dialog.module.css';
import { conversationsOf, type KeptConversation } from './kept-conversation.ts';
import type { History } from './use-history.ts';

const queryKey = ['playground-history'];

export function HistoryDialog({ history, onClose }: { readonly history: History; readonly onClose: () => void }) {
  const { t } = useTranslation(['playground', 'frame']);
  const { store } = history;
  const queryClient = useQueryClient();
  const file = useRef<HTMLInputElement>(null);
  const kept = useQuery({ queryKey, queryFn: () => store.list(), staleTime: 0, gcTime: 0, retry: false });
  const conversations = kept.data ?? [];
  const change = async (work: Promise<void>) => {
    await work;
    await queryClient.invalidateQueries({ queryKey });
  };
  const readFile = async (chosen: File) => {
    try {
      const found = conversationsOf(await chosen.text());
      await change(store.save(found));
      toast.success(t('history.imported', { count: Math.min(found.length, mostConversations) }));
    } catch (failure) {
      toast.error(t(isStorageFull(failure) ? 'history.full' : 'history.unreadable'));
    }
  };
  const removeAll = async () => {
    const isSure = await confirm({ kind: 'danger', title: t('history.removeAll'), verb: t('frame:action.delete') });
    if (!isSure) return;
    history.discard();
    await change(store.removeAll());
  };
  return (
    <Dialog
      opened
      onClose={onClose}
      title={t('history.title')}
      footer={
        <>
          <Button variant="default" onClick={() => file.current?.click()}>
            {t('history.import')}
          </Button>
          <Button
            variant="default"
            disabled={conversations.length === 0}
            onClick={() => downloadFile('conversations.json', JSON.stringify(conversations), 'application/json')}
          >
            {t('history.export')}
          </Button>
          <Button variant="default" disabled={conversations.length === 0} onClick={() => void removeAll()}>
            {t('history.removeAll')}
          </Button>
        </>
      }
    >
      <p className={classes.hint}>
        {kept.isError ? t('history.unavailable') : t('history.hint', { count: mostConversations })}
      </p>
      {kept.isSuccess && conversations.length === 0 && <EmptyState text={t('history.empty')} />}
      <ul className={classes.list}>
        {conversations.map((conversation) => (
          <li key={conversation.id} data-current={conversation.id === history.id || undefined}>
            <button
              type="button"
              className={classes.open}
              onClick={() => {
                history.open(conversation);
                onClose();
              }}
            >
              <span className={classes.title}>{conversation.title}</span>
              <span className={classes.note}>
                {[formatTime(Math.floor(conversation.savedAt / 1000)), ...modelsOf(conversation)].join(' · ')}
              </span>
            </button>
            <ActionIcon
              variant="subtle"
              color="gray"
              size={32}
              aria-label={t('history.remove', { title: conversation.title })}
              title={t('frame:action.delete')}
              onClick={() => {
                if (conversation.id === history.id) history.discard();
                void change(store.remove(conversation.id));
              }}
            >
              <IconTrash size={16} stroke={1.75} />
            </ActionIcon>
          </li>
        ))}
      </ul>
      <input
        ref={file}
        type="file"
        accept="application/json,.json"
        hidden
        aria-label={t('history.import')}
        onChange={({ currentTarget }) => {
          const [chosen] = currentTarget.files ?? [];
          if (chosen) void readFile(chosen);
          currentTarget.value = '';
        }}
      />
    </Dialog>
  );
}

/** Models that answered in it. */
function modelsOf({ sides }: KeptConversation): readonly string[] {
  const turns = sides.flatMap((side) => side.turns);
  return [...new Set(turns.flatMap((turn) => (turn.kind === 'answer' ? turn.tries.map(({ model }) => model) : [])))];
}
