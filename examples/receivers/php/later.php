<?php
// Makes one call a second later: the agent answers what a desk closes before it has acknowledged.
declare(strict_types=1);

require __DIR__ . '/signalbox.php';

sleep(1);
Signalbox\call($argv[1], json_decode($argv[2], true));
