/** Refusals with their texts in both languages, as the daemon tells them. */
import { useTranslation } from 'react-i18next';
import { membersOf, textOf } from '../../../daemon/contract/openapi-reader.ts';
import classes from './reference.module.css';

export type ErrorEntries = Readonly<Record<string, unknown>>;

export interface ErrorTableProps {
  readonly codes: readonly string[];
  readonly errors: ErrorEntries;
  readonly label: string;
}

export function ErrorTable({ codes, errors, label }: ErrorTableProps) {
  const { t } = useTranslation('reference');
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reached by the keyboard
    <section className={classes.region} tabIndex={0} aria-label={label}>
      <table className={`${classes.table} ${classes.errors}`} aria-label={label}>
        <thead>
          <tr>
            <th scope="col">{t('error.code')}</th>
            <th scope="col" lang="en">
              English
            </th>
            <th scope="col">{t('error.chinese')}</th>
          </tr>
        </thead>
        <tbody>
          {codes.map((code) => {
            const entry = membersOf(errors[code]);
            return (
              <tr key={code}>
                <th scope="row">
                  <code>{code}</code>
                </th>
                <td lang="en">{textOf(entry.en)}</td>
                <td lang="zh-CN">{textOf(entry.zh)}</td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}
