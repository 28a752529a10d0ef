<?php
// What happens with each call. The human here repeats what the user says, and closes at "bye": put yours in.
declare(strict_types=1);

require __DIR__ . '/signalbox.php';

Signalbox\receive(function (string $event, array $call): void {
    $id = $call['conversation_id'];
    match ($event) {
        'message' => say("said in $id: " . implode("\n", array_map(fn($output) => $output['content']['text'], $call['output']))),
        'handoff_requested' => say("a person is wanted in $id: " . json_encode($call['body'], JSON_UNESCAPED_UNICODE)),
        'user_message' => say("the user writes in $id: {$call['body']}"),
        'handoff_closed' => say("$id is over: {$call['type']}"),
    };
    $now = (int) (microtime(true) * 1000);
    if ($event === 'handoff_requested') {
        post('/v1/human/message/receive', ['conversation_id' => $id, 'timestamp' => $now, 'body' => 'Hello, this is Ada. How can I help?']);
    } elseif ($event === 'user_message' && $call['body'] === 'bye') {
        post('/v1/human/close', ['conversation_id' => $id, 'timestamp' => $now]);
    } elseif ($event === 'user_message') {
        post('/v1/human/message/receive', ['conversation_id' => $id, 'timestamp' => $now, 'body' => "You said: {$call['body']}"]);
    }
});

/** Calls after the answer, in a process of its own; an application has a queue. Without an API key, this desk only listens. */
function post(string $path, array $body): void
{
    if (getenv('SIGNALBOX_API_KEY') !== false) {
        $words = [PHP_BINARY, __DIR__ . '/later.php', $path, json_encode($body)];
        exec(implode(' ', array_map('escapeshellarg', $words)) . ' > /dev/null &');
    }
}

function say(string $line): void
{
    file_put_contents('php://stdout', "$line\n");
}
