<?php
// php client.php "When do you open?" prints the agent's answer twice: whole, and piece by piece.
declare(strict_types=1);

require __DIR__ . '/signalbox.php';

$conversation = Signalbox\call('/v1/conversation', ['user_id' => 'u-1'])['conversation_id'];
$message = ['conversation_id' => $conversation, 'messages' => [['role' => 'user', 'content' => $argv[1]]]];

$reply = Signalbox\call('/v2/conversation/message', [...$message, 'response_mode' => 'blocking']);
echo 'blocking:  ', $reply['output'][0]['content']['text'], "\n";

echo 'streaming: ';
$shown = '';
foreach (Signalbox\stream('/v2/conversation/message', [...$message, 'response_mode' => 'streaming']) as $event) {
    if ($event['code'] === 3) {
        $shown .= $event['data'];
        echo $event['data'];
    } elseif ($event['code'] === 10) { // The whole reply, as it is stored: it wins.
        $whole = implode(array_map(fn($output) => $output['content']['text'], $event['data']));
        echo $whole === $shown ? "\n" : "\ncorrected: $whole\n";
    } elseif ($event['code'] >= 40000) {
        exit($event['message']);
    }
}
