#!/bin/sh
read -r call
id=${call#*\"id\":\"}
echo "{\"id\":\"${id%%\"*}\",\"result\":[1,\"two\",null,{\"a\":0.5}]}"
