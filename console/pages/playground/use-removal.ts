/** Takes a message out of its conversation, with a way back. */
import { useTranslation } from 'react-i18next';
import { toast } from '../../components/toast.ts';
import type { Conversation } from './conversation-store.ts';

export function useRemoval(conversation: Conversation): (id: string) => void {
  const { t } = useTranslation('playground');
  return (id) => {
    const undo = conversation.remove(id);
    toast.success(t('removed'), { undo });
  };
}
