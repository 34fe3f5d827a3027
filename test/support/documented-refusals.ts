/** Both channel types speak one protocol. */
const midjourney = `
    key       401 | 403
    model     404
    limit     429
    request   400 4
    trouble   500 | 503`;

/**
 * Every refusal that the vendors' sheets name (`providers/*.md`, section Errors), and what it must lead to: its status,
 * the vendor's code for it, and its words where they tell more. PaLM is retired and is never asked.
 */
export const documentedRefusals: Readonly<Record<string, string>> = {
  ai360: `
    key       401
    credit    402 | 400 1004
    model     404
    limit     429
    request   400
    trouble   500 | 503`,
  'aiproxy-library': `
    key       401
    request   200 x
    trouble   500`,
  ali: `
    key       401 InvalidApiKey | 401 invalid_api_key
    credit    400 Arrearage | 403 AllocationQuota.FreeTierOnly | 403 AccessDenied.Unpurchased
    forbidden 403 AccessDenied | 403 Model.AccessDenied | 403 access_denied
    model     404 ModelNotFound | 404 model_not_found | 404 InvalidModel
    limit     429 Throttling | 429 Throttling.RateQuota | 429 limit_requests | 429 Throttling.BurstRate
    limit     429 Throttling.AllocationQuota | 429 insufficient_quota
    request   400 InvalidParameter | 400 BadRequest.TooLarge | 400 InvalidURL | 413
    filtered  400 DataInspectionFailed | 400 data_inspection_failed
    content   400 IPInfringementSuspect
    trouble   500 InternalError | 500 SystemError | 503 ServiceUnavailable | 503 ModelServingError
    trouble   504 RequestTimeOut | 408 RequestTimeOut`,
  anthropic: `
    key       401 authentication_error | 400 invalid_request_error: This organization has been disabled.
    credit    402 billing_error | 400 invalid_request_error: Your credit balance is too low to access the API.
    model     404 not_found_error: model: claude-9
    limit     429 rate_limit_error
    request   400 invalid_request_error | 413 request_too_large
    content   400 invalid_request_error: Output blocked by content filtering policy
    trouble   500 api_error | 504 timeout_error | 529 overloaded_error`,
  azure: `
    key       401 401: Access denied due to invalid subscription key or wrong API endpoint. | 401 PermissionDenied
    credit    429 insufficient_quota
    forbidden 403 PermissionDenied: Access denied by a network rule.
    model     404 DeploymentNotFound
    limit     429 429 | 429 RateLimitReached | 429 too_many_requests
    request   400 BadRequest | 400 OperationNotSupported | 400 OpperationNotSupported | 400 context_length_exceeded
    content   400 content_filter: The prompt was filtered
    trouble   408 Timeout | 500 InternalServerError | 503 ServiceUnavailable`,
  'azure-foundry': `
    key       401 PermissionDenied | 401 401: Access denied due to invalid subscription key
    credit    429 insufficient_quota
    model     404 DeploymentNotFound | 404 unknown_model
    limit     429 RateLimitReached
    request   422 unprocessable
    content   400 content_filter: The prompt was filtered
    trouble   408 | 424 | 500 | 503`,
  baidu: `
    key       200 13 | 200 14
    stale     200 15 | 200 100 | 200 110 | 200 111
    credit    200 17 | 200 19
    forbidden 200 6
    model     200 336005 | 200 337006 | 200 337008 | 200 337009
    limit     200 4 | 200 18 | 200 336100 | 200 336501 | 200 336502
    request   200 336001 | 200 336002 | 200 336003 | 200 336004 | 200 336006 | 200 336007 | 200 336008 | 200 336101
    context   200 336103: prompt too long
    request   200 336104 | 200 336221
    trouble   200 1 | 200 2 | 200 336000 | 200 336200`,
  'baidu-v2': `
    key       401 invalid_request_error/invalid_iam_token
    credit    403 access_denied/overdue
    model     400 invalid_request_error/invalid_model
    forbidden 401 invalid_request_error/invalid_model: No permission to use the model
    limit     429 rate_limit_exceeded/rpm_rate_limit_exceeded | 429 rate_limit_exceeded/tpm_rate_limit_exceeded
    request   400 invalid_request_error/malformed_json | 400 invalid_request_error/tokens_too_long
    request   401 access_denied/no_parameter_permission
    filtered  400 unsafe_request/image_url_unsafe | 400 unsafe_request/system_unsafe
    trouble   500 internal_error/internal_error | 503 internal_error/service_unavailable`,
  bedrock: `
    key       403 UnrecognizedClientException: The security token included in the request is invalid.
    key       403 InvalidSignatureException | 403 ExpiredTokenException | 403 IncompleteSignature
    credit    403 AccessDeniedException: INVALID_PAYMENT_INSTRUMENT: a valid payment instrument must be provided.
    forbidden 403 AccessDeniedException: You don't have access to the model with the specified model ID.
    model     404 ResourceNotFoundException: This model version has reached the end of its life.
    model     400 ValidationException: The provided model identifier is invalid.
    limit     429 ThrottlingException: Too many requests, please wait before trying again.
    limit     429 ThrottlingException: Too many tokens per day, please wait before trying again.
    limit     429 ModelNotReadyException | 400 ServiceQuotaExceededException
    request   400 ValidationException
    content   400 ValidationException: The text was blocked by our content filters.
    trouble   403 InvalidSignatureException: Signature expired: 20260115T123000Z is now earlier than 20260115T124000Z
    trouble   408 ModelTimeoutException | 424 ModelErrorException | 424 ModelStreamErrorException
    trouble   500 InternalServerException | 503 ServiceUnavailableException`,
  cerebras: `
    key       401 wrong_api_key
    credit    402 payment_required
    model     404 model_not_found
    limit     429 request_quota_exceeded | 429 token_quota_exceeded | 429 queue_exceeded
    request   400 | 422
    trouble   500 | 503`,
  cloudflare: `
    key       401 10000 | 403 10000 | 403 9109 | 403 6003 | 403 7003 | 403 7000 | 403 3023
    forbidden 403 5018 | 403 3041 | 403 5016
    model     400 5007 | 404 3042
    limit     429 3036
    request   400 5004 | 400 3003 | 400 5006 | 400 3039 | 405 5019 | 405 5005 | 413 3006
    trouble   408 3007 | 408 3008 | 429 3040 | 500 1`,
  cohere: `
    key       401: invalid api token | 403: your account is deactivated | 498: invalid token
    credit    402: billing is required
    model     404: model 'x' was removed on September 15, 2025 | 400: model 'x' not found
    limit     429: You are using a Trial key, which is limited to 10 API calls / minute
    limit     429: You are using a Trial key, which is limited to 1000 API calls / month
    request   400 | 422 | 501: not implemented
    trouble   500 | 503 | 504`,
  coze: `
    key       200 4100 | 200 4101 | 200 700012006 | 401 4100
    credit    200 4019 | 200 4027 | 200 4028
    model     200 4200
    limit     200 4008 | 200 4013
    request   200 4000 | 200 4001 | 200 702093001
    trouble   200 5000`,
  custom: `
    key       401
    credit    402 | 429 insufficient_quota
    model     404
    limit     429
    request   400 | 413 | 422
    content   400 content_filter
    trouble   500 | 502 | 503 | 529`,
  deepseek: `
    key       401 invalid_request_error: Authentication Fails
    credit    402 invalid_request_error: Insufficient Balance
    model     400 invalid_request_error: Model Not Exist | 422 invalid_request_error: Model Not Exist
    limit     429
    request   400 invalid_request_error | 422 invalid_request_error
    content   400 invalid_request_error: Content Exists Risk
    trouble   500 | 503`,
  dify: `
    key       401 unauthorized: Access token is invalid | 403 forbidden: The API is disabled.
    credit    400 provider_quota_exceeded
    model     400 provider_not_initialize | 400 model_currently_not_support | 400 completion_request_error
    model     400 workflow_request_error
    limit     429 rate_limit_error | 429 too_many_requests
    request   400 invalid_param | 400 bad_request | 413 file_too_large | 415 unsupported_file_type
    request   400 no_file_uploaded
    trouble   500 internal_server_error | 502 x | 504 x | 503 s3_connection_failed`,
  fastgpt: `
    key       200 unAuthApiKey: unAuthApiKey | 401 x | 403 x
    credit    400 x: aiPointsNotEnough | 500 aiPointsNotEnough: The team has no points left
    limit     429 x
    request   400 x
    trouble   500 x | 503 x`,
  fireworks: `
    key       401 UNAUTHORIZED | 403 FORBIDDEN
    credit    402 | 412: The account is suspended
    model     404 NOT_FOUND: Model not found, inaccessible, and/or not deployed
    limit     429
    request   400 | 413
    content   400 content_filter: The prompt was filtered
    trouble   408 | 500 | 502 | 503 | 504 | 520`,
  gemini: `
    key       400 INVALID_ARGUMENT/API_KEY_INVALID: API key not valid. Please pass a valid API key.
    key       400 INVALID_ARGUMENT: API key expired. Please renew the API key.
    key       403 PERMISSION_DENIED/CONSUMER_SUSPENDED: Consumer has been suspended.
    key       403 PERMISSION_DENIED/SERVICE_DISABLED: Generative Language API has not been used before or it is disabled.
    key       403 PERMISSION_DENIED: Your API key was reported as leaked.
    credit    402 RESOURCE_EXHAUSTED
    forbidden 400 FAILED_PRECONDITION: User location is not supported for the API use.
    model     404 NOT_FOUND: models/x is not found for API version v1beta
    model     403 PERMISSION_DENIED: You do not have permission to access the File abc or it may not exist.
    model     403 PERMISSION_DENIED: CachedContent not found (or permission denied)
    limit     429 RESOURCE_EXHAUSTED
    request   400 INVALID_ARGUMENT
    content   400 INVALID_ARGUMENT: The prompt was blocked by its safety settings.
    trouble   500 INTERNAL | 503 UNAVAILABLE | 504 DEADLINE_EXCEEDED`,
  groq: `
    key       401 invalid_api_key | 400 organization_restricted
    model     404 model_not_found | 400 model_decommissioned
    limit     429 rate_limit_exceeded | 413 rate_limit_exceeded: Request too large for model on tokens per minute (TPM)
    request   400 | 422
    trouble   424 | 498 capacity_exceeded | 500 | 502 | 503`,
  huggingface: `
    key       401: Invalid username or password.
    key       403: This authentication method does not have sufficient permissions to call Inference Providers
    credit    402: You have exceeded your monthly included credits
    model     404: Model x does not exist
    limit     429: Too many requests
    request   400 | 422
    trouble   503: Model x is currently loading | 504 | 500`,
  jina: `
    key       401: Invalid API key | 403: Invalid API key
    credit    402: Insufficient balance
    model     404 | 422: unknown model x
    limit     429: RPM limit reached
    request   400 | 422
    trouble   500 | 503 | 524`,
  lingyiwanwu: `
    key       401
    credit    429: quota exhausted, check your balance
    model     404
    limit     429: too many requests
    request   400
    content   400: sensitive content
    trouble   500 | 529 overloaded`,
  minimax: `
    key       200 1004 | 200 2049
    credit    200 1008
    model     200 2013: invalid params, unknown model x | 200 2013: not support model x | 200 2061
    limit     200 1002 | 200 1039 | 200 1041 | 200 2045 | 200 2056
    request   200 1042 | 200 2013 | 200 2037 | 200 2038 | 200 2039 | 200 2042 | 200 2048 | 200 1043 | 200 1044
    request   200 20132
    filtered  200 1026 | 200 1027
    trouble   200 1000 | 200 1001 | 200 1013 | 200 1024 | 200 1033`,
  mistral: `
    key       401: Unauthorized
    credit    402 | 403: Inactive subscription
    model     400 1500: Invalid model: x | 404
    limit     429 1300: Rate limit exceeded | 429 3505: Service tier capacity exceeded for this model.
    request   400 | 422
    content   403: The guardrail stopped the request
    trouble   500 | 502 | 503 | 520`,
  moka: `
    key       401 1 | 403 1
    model     404 1
    limit     429 1
    request   400 1
    trouble   500 1 | 503 1`,
  moonshot: `
    key       401 invalid_authentication_error | 401 incorrect_api_key_error | 403 permission_denied_error
    credit    403 exceeded_current_quota_error | 429 exceeded_current_quota_error | 402 x
    model     404 resource_not_found_error
    limit     429 rate_limit_reached_error
    request   400 invalid_request_error
    content   400 content_filter
    trouble   429 engine_overloaded_error | 500 server_error | 500 unexpected_output`,
  'nvidia-nim': `
    key       401: Authentication failed | 403: Forbidden
    credit    402: Account does not have enough credits
    model     404: Function 'x': Not found for account | 410: Gone
    limit     429
    request   400 | 422
    trouble   500 | 503`,
  ollama: `
    key       401: unauthorized | 403: forbidden
    model     404: model 'x' not found, try pulling it first
    limit     429: too many requests
    request   400: x does not support tools
    trouble   500: llama runner process has terminated | 502 | 503: server busy, please try again`,
  openai: `
    key       401 invalid_api_key | 401 invalid_organization | 401 mismatched_organization | 403 account_deactivated
    credit    400 billing_hard_limit_reached | 429 insufficient_quota | 429 billing_not_active
    forbidden 403 unsupported_country_region_territory
    model     404 model_not_found
    limit     429 rate_limit_exceeded | 429 slow_down
    context   400 context_length_exceeded
    request   400 unsupported_parameter | 400 unsupported_value | 409 | 413 | 422
    content   400 content_policy_violation | 400 moderation_blocked | 400 invalid_prompt
    trouble   500 server_error | 502 | 503 overloaded | 504`,
  openrouter: `
    key       401: User not found.
    credit    402: Insufficient credits | 403: Key limit exceeded
    model     404: No endpoints found for x | 400: x is not a valid model ID
    limit     429: Rate limit exceeded: free-models-per-day
    request   400 | 413 | 422
    content   403: The input was flagged by moderation
    trouble   408 | 500 | 502 | 503 | 524 | 529`,
  perplexity: `
    key       401 unauthorized
    model     404 not_found
    limit     429 rate_limit_exceeded
    request   400 invalid_request | 422 x
    trouble   500 x | 503 x`,
  replicate: `
    key       401: You did not pass a valid authentication token
    credit    402: You have insufficient credit | 402: Monthly spend limit reached
    model     404
    limit     429: Request was throttled.
    request   422: Invalid version or not permitted
    trouble   500 | 503`,
  siliconflow: `
    key       401: Invalid token
    credit    403 30001: Sorry, your account balance is insufficient
    model     400 20012: Model does not exist. | 403 30003: Model disabled.
    limit     429 30011: Request was rejected due to rate limiting. | 429 1
    request   400 20015 | 400 20041: Not a VLM | 400 20042
    trouble   503 50501 | 503 50505 | 504 1`,
  tencent: `
    key       200 AuthFailure.SignatureFailure | 200 AuthFailure.SecretIdNotFound | 200 AuthFailure.InvalidSecretId
    key       200 AuthFailure.InvalidAuthorization | 200 AuthFailure.MFAFailure
    key       200 AuthFailure.UnauthorizedOperation | 200 AuthFailure.TokenFailure | 200 UnauthorizedOperation
    key       200 FailedOperation.UserUnAuthError | 200 FailedOperation.PartnerAccountUnSupport
    credit    200 FailedOperation.FreeResourcePackExhausted | 200 FailedOperation.ResourcePackExhausted
    credit    200 FailedOperation.ServiceNotActivated | 200 FailedOperation.ServiceStop
    credit    200 FailedOperation.ServiceStopArrears | 200 ResourceUnavailable.InArrears
    credit    200 ResourceUnavailable.LowBalance | 200 ResourceUnavailable.StopUsing
    credit    200 ResourceInsufficient.ChargeResourceExhaust
    model     200 ResourceUnavailable.NotExist | 200 InvalidParameterValue.Model | 200 InvalidAction
    model     200 ActionOffline | 200 NoSuchVersion | 200 UnsupportedOperation
    limit     200 RequestLimitExceeded | 200 RequestLimitExceeded.UinLimitExceeded | 200 LimitExceeded
    limit     200 FailedOperation.EngineServerLimitExceeded
    request   200 InvalidParameter | 200 InvalidParameterValue | 200 MissingParameter | 200 UnknownParameter
    request   200 FailedOperation.SetPayStatusError
    filtered  200 OperationDenied.TextIllegalDetected | 200 OperationDenied.ImageIllegalDetected
    trouble   200 FailedOperation.EngineRequestTimeout | 200 FailedOperation.EngineServerError
    trouble   200 FailedOperation.ConsoleServerError | 200 InternalError | 200 InternalServerError
    trouble   200 ServiceUnavailable`,
  together: `
    key       401 invalid_api_key
    credit    402: Credit limit exceeded
    model     404 model_not_available
    limit     429
    request   400 invalid_request | 403: tokens and max_tokens are too many | 422
    trouble   500 | 502 | 503 | 504 | 524 | 529`,
  vertex: `
    key       403 PERMISSION_DENIED: Permission 'aiplatform.endpoints.predict' denied on resource.
    key       403 PERMISSION_DENIED/SERVICE_DISABLED | 403 PERMISSION_DENIED/BILLING_DISABLED
    model     404 NOT_FOUND: Publisher Model x was not found
    model     400 FAILED_PRECONDITION: The model is not servable in region us-central1.
    model     400 FAILED_PRECONDITION: The model is not allowed by an organization policy.
    limit     429 RESOURCE_EXHAUSTED
    request   400 INVALID_ARGUMENT
    content   400 INVALID_ARGUMENT: The prompt was blocked by its safety settings.
    trouble   500 INTERNAL | 503 UNAVAILABLE | 504 DEADLINE_EXCEEDED`,
  volcengine: `
    key       401 AuthenticationError | 401 InvalidAccountStatus
    credit    403 AccountOverdueError
    forbidden 403 AccessDenied | 403 OperationDenied.PermissionDenied
    model     400 InvalidEndpoint.ClosedEndpoint | 404 InvalidEndpointOrModel.NotFound | 404 ModelNotOpen
    model     404 InvalidEndpointOrModel.ModelIDAccessDisabled | 404 UnsupportedModel
    limit     429 RateLimitExceeded.EndpointRPMExceeded | 429 ModelAccountTpmRateLimitExceeded
    limit     429 APIAccountRpmRateLimitExceeded | 429 RequestBurstTooFast | 429 QuotaExceeded | 429 SetLimitExceeded
    request   400 MissingParameter | 400 InvalidParameter.Foo
    filtered  400 SensitiveContentDetected | 400 SensitiveContentDetected.SevereViolation
    filtered  400 InputTextSensitiveContentDetected | 400 OutputImageRiskDetection
    filtered  200 OutputImageSensitiveContentDetected | 200 SensitiveContentDetected.Violence
    trouble   429 ServerOverloaded | 429 InflightBatchsizeExceeded | 500 InternalServiceError | 503 ServiceUnavailable`,
  xai: `
    key       400: Incorrect API key provided: xa***. You can obtain an API key from https://console.x.ai. | 401
    key       403: The team is blocked
    credit    403: Your team has used all available credits or reached its monthly spending limit
    credit    429: Your team has used all available credits
    model     404 | 400: Model not found: x
    limit     429: Too many requests
    request   400 | 410 | 415 | 422
    content   403: Content violates usage guidelines. SAFETY_CHECK_TYPE_BIO
    trouble   500 | 502 | 503`,
  xinference: `
    key       401: Not authenticated | 403: Not enough permissions
    model     400: [address=10.0.0.1:1] Model not found in the model list, uid: x | 404
    limit     429: Rate limit reached
    request   400 | 422
    trouble   500 | 503`,
  xunfei: `
    key       200 10015 | 403 1: HMAC signature cannot be verified
    trouble   403 1: HMAC signature cannot be verified, a valid date or x-date header is required
    credit    200 11200 | 200 10016: the tokens are insufficient
    forbidden 200 10016: the version is not authorised
    limit     200 10007 | 200 11201 | 200 11202 | 200 11203
    request   200 10003 | 200 10004 | 200 10005 | 200 10163
    context   200 10907
    filtered  200 10013 | 200 10014 | 200 10019 | 200 10021
    trouble   200 10000 | 200 10001 | 200 10002 | 200 10008 | 200 10009 | 200 10010 | 200 10011 | 200 10012
    trouble   200 10006 | 200 10017 | 200 10110 | 200 10222`,
  zhipu: `
    key       200 1000 | 200 1001 | 200 1002 | 200 1003 | 200 1004 | 200 1100 | 200 1110 | 200 1111 | 200 1112
    key       200 1121 | 200 1309
    credit    200 1113
    forbidden 200 1220
    model     200 1211 | 200 1221 | 200 1222 | 200 1311
    limit     200 1302 | 200 1303 | 200 1304 | 200 1305 | 200 1308 | 200 1310 | 200 1312 | 200 1313
    request   200 1200 | 200 1210 | 200 1212 | 200 1213 | 200 1214 | 200 1215
    context   200 1261
    filtered  200 1300 | 200 1301
    trouble   200 500 | 200 1120 | 200 1230 | 200 1234`,
  'zhipu-v4': `
    key       401 1000 | 401 1001 | 401 1002 | 401 1003 | 401 1004 | 401 1100 | 401 1110 | 401 1111 | 401 1112
    key       401 1121 | 401 1309
    credit    429 1113
    forbidden 434 1220
    model     400 1211 | 400 1221 | 400 1222 | 400 1311
    limit     429 1302 | 429 1303 | 429 1304 | 429 1305 | 429 1308 | 429 1310 | 429 1312 | 429 1313
    request   400 1200 | 400 1210 | 400 1212 | 400 1213 | 400 1214 | 400 1215 | 435
    context   400 1261
    filtered  400 1301
    trouble   500 500 | 500 1120 | 500 1230 | 500 1234`,
  suno: `
    key       401 | 403 | 200 fail: Invalid token | 200 fail: The token has expired | 200 fail: Authentication failed
    credit    200 quota_not_enough | 403 quota_not_enough | 200 fail: insufficient credits | 200 fail: quota exceeded
    model     404
    limit     429 | 429 fail: quota exceeded
    request   400 invalid_request | 200 invalid_request | 200 fail: the prompt has too many tokens
    trouble   500 insert_task_failed | 503`,
  'midjourney-proxy': midjourney,
  'midjourney-proxy-plus': midjourney,
};
