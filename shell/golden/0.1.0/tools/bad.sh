#!/bin/sh
read -r call
id=${call#*\"id\":\"}
echo "{\"id\":\"${id%%\"*}\",\"error\":{\"code\":\"down\",\"message\":\"no line\"}}"
