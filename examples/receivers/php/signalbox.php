<?php
// Receives Signalbox's webhooks and calls its API. Needs nothing but PHP 8.
declare(strict_types=1);

namespace Signalbox;

const EVENTS = [
    '/conversation/establish' => 'handoff_requested',
    '/chat' => 'user_message',
    '/conversation/close' => 'handoff_closed',
];

/** Whether Signalbox signed these bytes with one of the secrets, at most five minutes ago. */
function isSigned(array $headers, string $body, array $secrets, int $tolerance = 300): bool
{
    $id = $headers['webhook-id'] ?? '';
    $timestamp = $headers['webhook-timestamp'] ?? '';
    if ($id === '' || !ctype_digit($timestamp) || abs(time() - (int) $timestamp) > $tolerance) {
        return false;
    }
    foreach ($secrets as $secret) {
        $key = base64_decode(preg_replace('/^whsec_/', '', $secret));
        $signature = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
        foreach (explode(' ', $headers['webhook-signature'] ?? '') as $given) {
            if (hash_equals($signature, $given)) {
                return true;
            }
        }
    }
    return false;
}

function isAuthorized(array $headers): bool
{
    $username = getenv('SIGNALBOX_WEBHOOK_USERNAME') ?: '';
    $secret = getenv('SIGNALBOX_WEBHOOK_SECRET') ?: '';
    $wanted = $secret === '' ? "Bearer $username" : 'Basic ' . base64_encode("$username:$secret");
    return $username === '' || hash_equals($wanted, $headers['authorization'] ?? '');
}

/** Calls `$handle` unless this id was handled. In an application, the id belongs in the transaction of the effect. */
function handleOnce(string $id, callable $handle): void
{
    $directory = sys_get_temp_dir() . '/signalbox-webhooks';
    is_dir($directory) || @mkdir($directory, 0700);
    $file = "$directory/" . hash('sha256', $id);
    if (@fopen($file, 'x') === false) {
        return;
    }
    try {
        $handle();
    } catch (\Throwable $error) {
        unlink($file); // The next attempt is handled again.
        throw $error;
    }
}

/** Answers this request. `$handle` gets the event and the body, and returns soon: the service waits ten seconds. */
function receive(callable $handle): void
{
    $secrets = explode(' ', getenv('SIGNALBOX_SIGNING_SECRET') ?: throw new \Exception('no SIGNALBOX_SIGNING_SECRET'));
    $headers = array_change_key_case(getallheaders());
    $body = file_get_contents('php://input');
    header('content-type: application/json');
    if (!isAuthorized($headers) || !isSigned($headers, $body, $secrets)) {
        http_response_code(401);
        return;
    }
    $call = json_decode($body, true, 512, JSON_THROW_ON_ERROR);
    $path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
    $ends = array_filter(EVENTS, fn(string $end) => str_ends_with($path, $end), ARRAY_FILTER_USE_KEY);
    $event = reset($ends) ?: 'message';
    if (!($call['istest'] ?? false)) {
        handleOnce($headers['webhook-id'], fn() => $handle($event, $call));
    }
    echo json_encode(['code' => 200, $event === 'message' ? 'msg' : 'message' => 'success']);
}

/** Makes an API call with SIGNALBOX_URL and SIGNALBOX_API_KEY; gives the open reply. */
function open(string $path, array $body)
{
    $http = [
        'method' => 'POST',
        'header' => ['authorization: Bearer ' . getenv('SIGNALBOX_API_KEY'), 'content-type: application/json'],
        'content' => json_encode($body),
        'timeout' => 30,
        'ignore_errors' => true,
    ];
    $reply = fopen(getenv('SIGNALBOX_URL') . $path, 'r', false, stream_context_create(['http' => $http]));
    if ($reply === false) {
        throw new \RuntimeException('no answer');
    }
    if (!str_contains(stream_get_meta_data($reply)['wrapper_data'][0], ' 200')) {
        throw new \RuntimeException(stream_get_contents($reply));
    }
    return $reply;
}

function call(string $path, array $body): array
{
    return json_decode(stream_get_contents(open($path, $body)), true, 512, JSON_THROW_ON_ERROR);
}

/** The events of a streaming reply, as they come: code, message, data. */
function stream(string $path, array $body): \Generator
{
    $reply = open($path, $body);
    while (($line = fgets($reply)) !== false) {
        if (str_starts_with($line, 'data:')) {
            yield json_decode(substr($line, 5), true, 512, JSON_THROW_ON_ERROR);
        }
    }
}
