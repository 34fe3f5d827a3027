/** Tests the models of a channel one by one or all together (console.md 6.9 "Test dialog"). Closing ends what is left. */
import { Button, Select, TextInput } from '@mantine/core';
import '@mantine/core/styles/Button.css';
import '@mantine/core/styles/Combobox.css';
import '@mantine/core/styles/Input.css';
import '@mantine/core/styles/Loader.css';
import '@mantine/core/styles/Popover.css';
import '@mantine/core/styles/ScrollArea.css';
import '@mantine/core/styles/UnstyledButton.css';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { testEndpoints } from '../../../daemon/contract/channel-checks.ts';
import type { ChannelView } from '../../../daemon/contract/channels.ts';
import { splitCommaList } from '../../../daemon/contract/comma-list.ts';
import { showFailure } from '../../api/failures.ts';
import { BatchProgressBar } from '../../components/batch-progress.tsx';
import { confirm } from '../../components/confirm.tsx';
import { isMatch } from '../../components/model-options.ts';
import { Dialog } from '../../components/section.tsx';
import { toast } from '../../components/toast.ts';
import { channels } from './channel-calls.ts';
import { markRow } from './row-notes.ts';
import { TestRow } from './test-row.tsx';
import classes from './tools.module.css';
import { patchRows, refreshRows } from './use-channels.ts';
import { keysQueryKey } from './use-key-acts.ts';
import { type TestEndpoint, type TestStream, useModelTests } from './use-model-tests.ts';

export interface TestDialogProps {
  readonly channel: ChannelView;
  readonly onClose: () => void;
}

const streams = ['auto', 'on', 'off'] as const;
const questions = ['greeting', 'canary'] as const;
type Question = (typeof questions)[number];

export function TestDialog({ channel, onClose }: TestDialogProps) {
  const { t } = useTranslation(['channel-tools', 'frame']);
  const client = useQueryClient();
  const [search, setSearch] = useState('');
  const [stream, setStream] = useState<TestStream>('auto');
  const [endpoint, setEndpoint] = useState<TestEndpoint>('auto');
  const [question, setQuestion] = useState<Question>('greeting');
  const [keyHash, setKeyHash] = useState('');
  const keys = useQuery({
    queryKey: keysQueryKey(channel.id),
    queryFn: ({ signal }) => channels.keys({ id: channel.id }, { signal }),
  });
  const tests = useModelTests(channel.id, {
    stream,
    endpoint,
    canary: question === 'canary',
    keyHash: keyHash || undefined,
  });
  const models = splitCommaList(channel.models);
  const shown = models.filter((model) => isMatch(model, search));
  const failed = models.filter((model) => tests.results.get(model)?.hasFailed);

  const change = async (wish: { models: string } | { test_model: string }, done: string) => {
    try {
      const { key: _, ...row } = await channels.update({ id: channel.id, ...wish });
      patchRows(client, new Set([channel.id]), row);
      markRow(channel.id);
      toast.success(done);
    } catch (error) {
      showFailure(error);
    }
  };
  const removeFailed = async () => {
    const kept = models.filter((model) => !failed.includes(model));
    if (kept.length === 0) {
      toast.error(t('test.noneLeft'));
      return;
    }
    const verb = t('test.removeVerb', { count: failed.length });
    const text = (
      <ul className={classes.names}>
        {failed.map((model) => (
          <li key={model}>{model}</li>
        ))}
      </ul>
    );
    if (!(await confirm({ kind: 'danger', title: verb, text, verb }))) return;
    await change({ models: kept.join(',') }, t('test.removed', { count: failed.length }));
  };
  const close = () => {
    tests.batch.stop();
    void refreshRows(client);
    onClose();
  };
  return (
    <Dialog
      opened
      onClose={close}
      title={t('test.title', { name: channel.name })}
      size={860}
      footer={
        <>
          {failed.length > 0 && (
            <Button variant="subtle" color="red" onClick={removeFailed} disabled={tests.isRunning}>
              {t('test.removeFailed', { count: failed.length })}
            </Button>
          )}
          <Button variant="default" onClick={close}>
            {t('frame:action.close')}
          </Button>
          <Button onClick={() => void tests.start(shown)} loading={tests.isRunning} disabled={shown.length === 0}>
            {search.trim() === '' ? t('test.all') : t('test.shown', { count: shown.length })}
          </Button>
        </>
      }
    >
      <div className={classes.wishes}>
        <TextInput
          label={t('test.search')}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
          data-autofocus
        />
        <Select
          label={t('test.stream')}
          data={streams.map((value) => ({ value, label: t(`stream.${value}`) }))}
          value={stream}
          onChange={(value) => setStream(streams.find((one) => one === value) ?? 'auto')}
        />
        <Select
          label={t('test.endpoint')}
          data={testEndpoints.map((value) => ({ value, label: t(`endpoint.${value}`) }))}
          value={endpoint}
          onChange={(value) => setEndpoint(testEndpoints.find((one) => one === value) ?? 'auto')}
        />
        <Select
          label={t('test.question')}
          data={questions.map((value) => ({ value, label: t(`question.${value}`) }))}
          value={question}
          onChange={(value) => setQuestion(questions.find((one) => one === value) ?? 'greeting')}
          allowDeselect={false}
        />
        {keys.data !== undefined && keys.data.length > 1 && (
          <Select
            label={t('test.key')}
            data={[
              { value: '', label: t('test.anyKey') },
              ...keys.data.map(({ key_hash, position, tail }) => ({
                value: key_hash,
                label: tail === '' ? `#${position + 1}` : `#${position + 1} …${tail}`,
              })),
            ]}
            value={keyHash}
            onChange={(value) => setKeyHash(value ?? '')}
            searchable
            allowDeselect={false}
          />
        )}
      </div>
      <BatchProgressBar batch={tests.batch} />
      <div className={classes.scroll}>
        <table className={`${classes.table} ${classes.tests}`}>
          <colgroup>
            <col />
            <col style={{ width: 200 }} />
            <col style={{ width: 140 }} />
            <col style={{ width: 210 }} />
          </colgroup>
          <thead>
            <tr>
              <th scope="col">{t('test.model')}</th>
              <th scope="col">{t('test.result')}</th>
              <th scope="col">{t('test.last')}</th>
              <th scope="col" data-align="right">
                {t('test.acts')}
              </th>
            </tr>
          </thead>
          <tbody>
            {shown.map((model) => (
              <TestRow
                key={model}
                model={model}
                isDefault={model === (channel.test_model || models[0])}
                result={tests.results.get(model)}
                isRunning={tests.running.has(model)}
                history={tests.history.get(model) ?? []}
                onTest={() => void tests.one(model)}
                onDefault={() => void change({ test_model: model }, t('test.defaultSet', { model }))}
              />
            ))}
          </tbody>
        </table>
        {shown.length === 0 && <p className={classes.none}>{t('test.none')}</p>}
      </div>
    </Dialog>
  );
}
