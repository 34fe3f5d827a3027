/** A model in the test dialog: what this test says, and ticks for those before it. */
import { IconCheck, IconLoader2, IconX } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import type { ChannelTestView } from '../../../daemon/contract/channel-checks.ts';
import { formatDuration, formatTime } from '../../components/format.ts';
import { ResponseTimeTag, Tag } from '../../components/tag.tsx';
import { FailureText } from './failure-text.tsx';
import classes from './tools.module.css';
import type { TestResult } from './use-model-tests.ts';

export interface TestRowProps {
  readonly model: string;
  /** Asked where a test names no model. */
  readonly isDefault: boolean;
  readonly result: TestResult | undefined;
  readonly isRunning: boolean;
  /** Newest last. */
  readonly history: readonly ChannelTestView[];
  readonly onTest: () => void;
  readonly onDefault: () => void;
}

export function TestRow({ model, isDefault, result, isRunning, history, onTest, onDefault }: TestRowProps) {
  const { t } = useTranslation('channel-tools');
  return (
    <tr>
      <td>
        <code className={classes.model}>{model}</code>
        {isDefault && (
          <>
            {' '}
            <Tag tone="blue">{t('test.default')}</Tag>
          </>
        )}
      </td>
      <td aria-live="polite">
        {isRunning ? (
          <span className={classes.running}>
            <IconLoader2 size={14} stroke={1.75} aria-hidden="true" />
            {t('test.running')}
          </span>
        ) : (
          result && <Result {...result} />
        )}
      </td>
      <td>
        <ul className={classes.ticks}>
          {history.map((test) => (
            <Tick key={test.id} test={test} />
          ))}
        </ul>
      </td>
      <td className={classes.acts}>
        <button type="button" className={classes.act} onClick={onTest} disabled={isRunning}>
          {t('test.one')}
        </button>
        {!isDefault && (
          <button type="button" className={classes.act} onClick={onDefault}>
            {t('test.setDefault')}
          </button>
        )}
      </td>
    </tr>
  );
}

function Result({ ok, time, message }: TestResult) {
  return ok ? <ResponseTimeTag ms={Math.max(1, time * 1000)} /> : <FailureText message={message} />;
}

function Tick({ test }: { readonly test: ChannelTestView }) {
  const { t } = useTranslation('channel-tools');
  const when = formatTime(test.created_at);
  const text = test.ok
    ? t('test.tickOk', { when, time: formatDuration(test.time_ms / 1000) })
    : t('test.tickFailed', { when, message: test.message });
  return (
    <li className={classes.tick} data-ok={test.ok} title={text}>
      {test.ok ? (
        <IconCheck size={12} stroke={2.5} aria-hidden="true" />
      ) : (
        <IconX size={12} stroke={2.5} aria-hidden="true" />
      )}
      <span className={classes.unseen}>{text}</span>
    </li>
  );
}
