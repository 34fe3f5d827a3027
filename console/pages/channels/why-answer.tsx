/** The candidates of a call in the order in which attempts reach them, and who is left out. */
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router-dom';
import type { RoutingAnswer } from '../../../daemon/contract/channel-insight.ts';
import { formatDuration, formatPercent, formatRatio } from '../../components/format.ts';
import { GroupTag, RatioTag, Tag } from '../../components/tag.tsx';
import classes from './tools.module.css';

export function WhyAnswer({ answer }: { readonly answer: RoutingAnswer }) {
  const { t } = useTranslation('channel-tools');
  const { candidates, excluded, refusal, price } = answer;
  return (
    <>
      {refusal && (
        <p className={classes.refusal} role="status">
          {t('why.refused', { message: refusal.message })}
        </p>
      )}
      <dl className={classes.facts}>
        <Fact name={t('why.routedModel')}>
          <code>{answer.model}</code>
        </Fact>
        <Fact name={t('why.usedGroup')}>
          <GroupTag name={answer.group} />
        </Fact>
        <Fact name={t('why.price')}>
          <PriceText price={price} />
        </Fact>
      </dl>
      <h3 className={classes.heading}>{t('why.candidates', { count: candidates.length })}</h3>
      {candidates.length === 0 ? (
        <p className={classes.hint}>{t('why.nobody')}</p>
      ) : (
        <div className={classes.scroll}>
          <table className={`${classes.table} ${classes.candidates}`}>
            <thead>
              <tr>
                <th scope="col">{t('why.attempt')}</th>
                <th scope="col">{t('why.channel')}</th>
                <th scope="col">{t('why.group')}</th>
                <th scope="col" data-align="right">
                  {t('why.priority')}
                </th>
                <th scope="col" data-align="right">
                  {t('why.weight')}
                </th>
                <th scope="col">{t('why.share')}</th>
                <th scope="col" data-align="right">
                  {t('why.keys')}
                </th>
                <th scope="col">{t('why.ratio')}</th>
              </tr>
            </thead>
            <tbody>
              {candidates.map((one) => (
                <tr key={`${one.group} ${one.channel_id}`}>
                  <td>{one.tier === 0 ? t('why.first') : t('why.retry', { place: one.tier })}</td>
                  <td>
                    <Link to={`/channel/edit/${one.channel_id}`}>
                      #{one.channel_id} {one.name}
                    </Link>
                  </td>
                  <td>
                    <GroupTag name={one.group} />
                  </td>
                  <td data-align="right">{one.priority}</td>
                  <td data-align="right">{one.weight}</td>
                  <td>
                    <span className={classes.share}>
                      <span className={classes.shareBar}>
                        <span style={{ width: `${one.share * 100}%` }} />
                      </span>
                      {formatPercent(one.share)}
                    </span>
                  </td>
                  <td data-align="right">{one.usable_keys}</td>
                  <td>
                    <RatioTag ratio={one.ratio} />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {excluded.length > 0 && (
        <>
          <h3 className={classes.heading}>{t('why.excluded', { count: excluded.length })}</h3>
          <div className={classes.scroll}>
            <table className={`${classes.table} ${classes.candidates}`}>
              <thead>
                <tr>
                  <th scope="col">{t('why.channel')}</th>
                  <th scope="col">{t('why.reason')}</th>
                </tr>
              </thead>
              <tbody>
                {excluded.map((one) => (
                  <tr key={one.channel_id}>
                    <td>
                      <Link to={`/channel/edit/${one.channel_id}`}>
                        #{one.channel_id} {one.name}
                      </Link>
                    </td>
                    <td>
                      <Tag tone={one.reason === 'cooling' ? 'cyan' : 'grey'}>{t(`reason.${one.reason}`)}</Tag>
                      {one.free_in_ms !== null && ` ${formatDuration(one.free_in_ms / 1000)}`}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
    </>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt className={classes.factName}>{name}</dt>
      <dd className={classes.fact}>{children}</dd>
    </div>
  );
}

function PriceText({ price }: { readonly price: RoutingAnswer['price'] }) {
  const { t } = useTranslation('channel-tools');
  if (!price) return <span className={classes.wrong}>{t('why.noPrice')}</span>;
  if (price.mode === 'fixed') return t('why.fixedPrice', { amount: `$${price.usd}` });
  return t('why.tokenPrice', {
    model: formatRatio(price.model_ratio),
    completion: formatRatio(price.completion_ratio),
  });
}
