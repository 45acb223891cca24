<?php

// Replaces composer's vendor/autoload.php, and uses Debian's Guzzle.

require_once '/usr/share/php/GuzzleHttp/autoload.php';

spl_autoload_register(function (string $class): void {
    $file = 'client/lib/' . str_replace('\\', '/', substr($class, strlen('DigitalAssets\\'))) . '.php';
    if (str_starts_with($class, 'DigitalAssets\\') && is_file($file)) {
        require $file;
    }
});
