/** What an import would do, row by row, or why it cannot be done. */
import { useTranslation } from 'react-i18next';
import type { ImportAnswer } from '../../../daemon/contract/channel-transfer.ts';
import { Tag } from '../../components/tag.tsx';
import type { Tone } from '../../components/tones.ts';
import classes from './tools.module.css';

const tones: Readonly<Record<ImportAnswer['rows'][number]['action'], Tone>> = {
  create: 'green',
  update: 'blue',
  unchanged: 'grey',
  skip: 'grey',
};

export function ImportPreview({ answer }: { readonly answer: ImportAnswer }) {
  const { t } = useTranslation('channel-tools');
  const { created, updated, unchanged, skipped, rows, problems } = answer;
  if (problems.length > 0) {
    return (
      <>
        <p className={classes.refusal} role="alert">
          {t('import.problems', { count: problems.length })}
        </p>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keys */}
        <section className={`${classes.scroll} ${classes.preview}`} tabIndex={0} aria-label={t('import.preview')}>
          <table className={classes.table}>
            <thead>
              <tr>
                <th scope="col">{t('import.row')}</th>
                <th scope="col">{t('import.name')}</th>
                <th scope="col">{t('import.field')}</th>
                <th scope="col">{t('history.message')}</th>
              </tr>
            </thead>
            <tbody>
              {problems.map((problem) => (
                <tr key={`${problem.row} ${problem.field} ${problem.code}`}>
                  <td>{problem.row}</td>
                  <td>{problem.name}</td>
                  <td>
                    <code>{problem.field}</code>
                  </td>
                  <td className={classes.wrong}>{problem.message}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </>
    );
  }
  return (
    <>
      <p className={classes.hint} role="status">
        {t('import.counts', { created, updated, unchanged, skipped })}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keys */}
      <section className={`${classes.scroll} ${classes.preview}`} tabIndex={0} aria-label={t('import.preview')}>
        <table className={classes.table}>
          <thead>
            <tr>
              <th scope="col">{t('import.row')}</th>
              <th scope="col">{t('import.name')}</th>
              <th scope="col">{t('import.action')}</th>
              <th scope="col">{t('import.changes')}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.row}>
                <td>{row.row}</td>
                <td>{row.name}</td>
                <td>
                  <Tag tone={tones[row.action]}>{t(`action.${row.action}`)}</Tag>
                </td>
                <td>
                  {row.changes.map(({ field, from, to }) => (
                    <span key={field} className={classes.change}>
                      <code>{field}</code>: {row.action === 'update' && from !== '' && <del>{from}</del>} {to}
                    </span>
                  ))}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}
