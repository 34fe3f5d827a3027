/** What the page does to all channels: in its header and the menu beside it. */
import { ActionIcon, Button, Menu } from '@mantine/core';
import '@mantine/core/styles/ActionIcon.css';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Loader.css';
import '@mantine/core/styles/Menu.css';
import '@mantine/core/styles/Popover.css';
import '@mantine/core/styles/UnstyledButton.css';
import { IconDots } from '@tabler/icons-react';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { ApiError } from '../../../daemon/contract/client.ts';
import { showFailure } from '../../api/failures.ts';
import { type ConfirmRequest, confirm } from '../../components/confirm.tsx';
import { toast } from '../../components/toast.ts';
import { channels, upstreamWait } from './channel-calls.ts';
import { disabledList } from './disabled-list.tsx';
import { refreshRows } from './use-channels.ts';

export interface HeaderActsProps {
  /** Disabled channels are gone. */
  readonly onDeleted: () => void;
  readonly onImport: () => void;
  readonly onExport: () => void;
  readonly onExplain: () => void;
}

export function HeaderActs({ onDeleted, onImport, onExport, onExplain }: HeaderActsProps) {
  const { t } = useTranslation('channels');
  const client = useQueryClient();
  const [running, setRunning] = useState<string>();
  /** Asks, does, tells; one at a time. */
  const run = async (name: string, request: ConfirmRequest, act: () => Promise<void>) => {
    if (!(await confirm(request))) return;
    setRunning(name);
    try {
      await act();
      await refreshRows(client);
    } catch (error) {
      if (error instanceof ApiError && error.code === 'channel_test_running') toast.info(error.message);
      else showFailure(error);
    } finally {
      setRunning(undefined);
    }
  };
  const testAll = () =>
    run(
      'test',
      { kind: 'plain', title: t('act.testAll'), text: t('confirm.testAll'), verb: t('act.testAll') },
      async () => {
        await channels.testAll();
        toast.success(t('done.testAll'));
      },
    );
  const updateBalances = () =>
    run(
      'balances',
      { kind: 'plain', title: t('act.balances'), text: t('confirm.balances'), verb: t('act.balances') },
      async () => {
        await channels.updateBalances({}, upstreamWait);
        toast.success(t('done.balances'));
      },
    );
  const deleteDisabled = async () => {
    try {
      const { items, total } = await channels.list({ status: 'disabled', page: 1, page_size: 100 });
      if (total === 0) {
        toast.info(t('noneDisabled'));
        return;
      }
      const request: ConfirmRequest = {
        kind: 'danger',
        title: t('act.deleteDisabled'),
        text: disabledList(t('confirm.deleteDisabled'), items, total),
        verb: t('confirm.deleteManyVerb', { count: total }),
      };
      await run('delete', request, async () => {
        const count = await channels.deleteDisabled();
        onDeleted();
        toast.success(t('done.deletedMany', { count }));
      });
    } catch (error) {
      showFailure(error);
    }
  };
  const fix = () =>
    run('fix', { kind: 'plain', title: t('act.fix'), text: t('confirm.fix'), verb: t('act.fix') }, async () => {
      const count = await channels.fix();
      toast.success(t('done.fixed', { count }));
    });
  return (
    <>
      <Button variant="default" onClick={testAll} loading={running === 'test'}>
        {t('act.testAll')}
      </Button>
      <Button variant="default" onClick={updateBalances} loading={running === 'balances'}>
        {t('act.balances')}
      </Button>
      <Menu>
        <Menu.Target>
          <ActionIcon variant="default" size={36} aria-label={t('act.more')} title={t('act.more')}>
            <IconDots size={16} stroke={1.75} />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={onExplain}>{t('act.why')}</Menu.Item>
          <Menu.Item onClick={onImport}>{t('act.import')}</Menu.Item>
          <Menu.Item onClick={onExport}>{t('act.export')}</Menu.Item>
          <Menu.Divider />
          <Menu.Item onClick={fix}>{t('act.fix')}</Menu.Item>
          <Menu.Item color="red" onClick={deleteDisabled}>
            {t('act.deleteDisabled')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  );
}
