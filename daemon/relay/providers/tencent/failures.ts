/** Codes of both interfaces; the native one sends them with status 200. Source: providers/tencent.md, read 2026-11. */
import type { FailureRule } from '../../failure.ts';

export const tencentFailures: readonly FailureRule[] = [
  {
    code: [
      'AuthFailure.SignatureFailure',
      'AuthFailure.SecretIdNotFound',
      'AuthFailure.InvalidSecretId',
      'AuthFailure.InvalidAuthorization',
      'AuthFailure.MFAFailure',
      'AuthFailure.UnauthorizedOperation',
      'AuthFailure.TokenFailure',
      'UnauthorizedOperation',
      'FailedOperation.UserUnAuthError',
      'FailedOperation.PartnerAccountUnSupport',
    ],
    means: 'bad-key',
  },
  {
    code: [
      'FailedOperation.FreeResourcePackExhausted',
      'FailedOperation.ResourcePackExhausted',
      'FailedOperation.ServiceNotActivated',
      'FailedOperation.ServiceStop',
      'FailedOperation.ServiceStopArrears',
      'ResourceUnavailable.InArrears',
      'ResourceUnavailable.LowBalance',
      'ResourceUnavailable.StopUsing',
      'ResourceInsufficient.ChargeResourceExhaust',
    ],
    means: 'no-credit',
  },
  {
    code: [
      'ResourceUnavailable.NotExist',
      'InvalidParameterValue.Model',
      'InvalidAction',
      'ActionOffline',
      'NoSuchVersion',
      'UnsupportedOperation',
    ],
    means: 'no-model',
  },
  {
    code: [
      'RequestLimitExceeded',
      'RequestLimitExceeded.UinLimitExceeded',
      'LimitExceeded',
      'FailedOperation.EngineServerLimitExceeded',
    ],
    means: 'rate-limit',
  },
  // The clock of this machine is wrong, or theirs.
  { code: 'AuthFailure.SignatureExpire', means: 'overload' },
  {
    code: [
      'FailedOperation.EngineRequestTimeout',
      'FailedOperation.EngineServerError',
      'FailedOperation.ConsoleServerError',
      'InternalError',
      'InternalServerError',
      'ServiceUnavailable',
    ],
    means: 'overload',
  },
  {
    code: [
      'InvalidParameter',
      'InvalidParameterValue',
      'MissingParameter',
      'UnknownParameter',
      'FailedOperation.SetPayStatusError',
    ],
    means: 'bad-request',
  },
  {
    code: ['OperationDenied.TextIllegalDetected', 'OperationDenied.ImageIllegalDetected'],
    means: 'bad-request',
    tells: 'content_filter',
  },
  { status: 401, means: 'bad-key' },
  // No code of its own: arrears and models that were never opened share the status.
  { status: 402, text: /arrear|欠费/i, means: 'no-credit' },
  { status: [402, 403], means: 'not-allowed' },
  { status: 404, means: 'no-model' },
];
