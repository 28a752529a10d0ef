module signalbox.example

go 1.19
